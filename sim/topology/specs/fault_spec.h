#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/input/yaml_reader.h"

namespace simtrain {

/// A GPU whose kernels all take `slowdown` times as long: throttled, or sharing its power or
/// cooling with a neighbour. Its links are as fast as any.
struct SlowGpu {
  std::string host;  ///< its name, or its number from 0
  int gpu = 0;       ///< number in its host
  double slowdown = 1;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v("host", host);
    v("gpu", gpu, Limits{0, 1023});
    v("slowdown", slowdown, Limits{1, 1000});
  }
};

/// A NIC that is slow or, with nothing left of its bandwidth, down. Without a host, that NIC of
/// every host: its rail.
struct NicFault {
  std::optional<std::string> host;  ///< its name, or its number from 0
  int nic = 0;                      ///< number in its host
  double bandwidth_share = 0;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v.optional("host", host);
    v("nic", nic, Limits{0, 1023});
    v("bandwidth_share", bandwidth_share, kShare);
  }
};

/// All cables between two switches, both directions, slow or down.
struct LinkFault {
  std::string from;
  std::string to;
  double bandwidth_share = 0;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v("from", from);
    v("to", to);
    v("bandwidth_share", bandwidth_share, kShare);
  }
};

/// What is broken in a cluster: `cluster.faults` of a scenario. `bandwidth_share` is what is left.
struct ClusterFaults {
  std::vector<SlowGpu> gpus;
  std::vector<NicFault> nics;
  std::vector<LinkFault> links;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v.optional("gpus", gpus);
    v.optional("nics", nics);
    v.optional("links", links);
  }
};

}  // namespace simtrain
