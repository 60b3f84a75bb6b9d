#pragma once

#include "sim/core/yaml_reader.h"

namespace simtrain {

/// A GPU whose kernels all take `slowdown` times as long: throttled, or sharing its power or
/// cooling with a neighbour. Its links are as fast as any.
struct SlowGpu {
  int host = 0;  ///< of the cluster, from 0
  int gpu = 0;   ///< of the host, from 0
  double slowdown = 1;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v("host", host, kCountOrNone);
    v("gpu", gpu, kCountOrNone);
    v("slowdown", slowdown, Limits{1, 1000});
  }
};

/// A NIC that moves only a part of what its kind does, in both directions: a worn cable, a link
/// trained at fewer lanes.
struct SlowNic {
  int host = 0;  ///< of the cluster, from 0
  int nic = 0;   ///< of the host, from 0
  double bandwidth_share = 1;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v("host", host, kCountOrNone);
    v("nic", nic, kCountOrNone);
    v("bandwidth_share", bandwidth_share, Limits{0.001, 1});
  }
};

}  // namespace simtrain
