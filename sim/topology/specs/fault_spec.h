#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"

namespace simtrain {

/// When a fault holds, counted from the start of the first step on: always, unless it says so.
struct FaultTimes {
  std::optional<Duration> start;
  std::optional<Duration> length;  ///< without it, from `start` to the end
};

/// A GPU whose kernels all take `slowdown` times as long: throttled, or sharing its power or
/// cooling with a neighbour. Its links are as fast as any.
struct SlowGpu {
  std::string host;  ///< its name, or its number from 0
  int gpu = 0;       ///< number in its host
  double slowdown = 1;
  SourcePlace where;
  FaultTimes times{};
};
template <>
struct Fields<SlowGpu>;

/// A NIC that is slow or, with nothing left of its bandwidth, down. Without a host, that NIC of
/// every host: its rail.
struct NicFault {
  std::optional<std::string> host;  ///< its name, or its number from 0
  int nic = 0;                      ///< number in its host
  double bandwidth_share = 0;
  SourcePlace where;
  FaultTimes times{};
};
template <>
struct Fields<NicFault>;

/// All cables between two switches, both directions, slow or down.
struct LinkFault {
  std::string from;
  std::string to;
  double bandwidth_share = 0;
  SourcePlace where;
  FaultTimes times{};
};
template <>
struct Fields<LinkFault>;

/// What is broken in a cluster: `cluster.faults` of a scenario. `bandwidth_share` is what is left.
struct ClusterFaults {
  std::vector<SlowGpu> gpus;
  std::vector<NicFault> nics;
  std::vector<LinkFault> links;
  SourcePlace where;
};
template <>
struct Fields<ClusterFaults>;

}  // namespace simtrain
