#pragma once

#include <string>
#include <vector>

#include "sim/topology/bisection.h"

namespace simtrain {

/// How many cables there are of one sort: same ends, same bandwidth and latency.
struct CableCount {
  VertexKind low{};
  VertexKind high{};
  int count = 0;
  Bandwidth bandwidth;  ///< of one cable, one direction
  Duration latency{};
};

/// Everything that goes up from one level of the cluster to the next, one direction.
struct LevelBandwidth {
  VertexKind low{};
  VertexKind high{};
  Bandwidth total;
  Bandwidth per_gpu;
  /// What comes into the worst switch from below over what it has upward, NICs counted at line
  /// rate; 0 where `low` is no switch of the network.
  double oversubscription = 0;
};

/// A cluster in numbers.
struct ClusterFacts {
  std::string name;
  int hosts = 0;
  int gpus = 0;
  int nvlink_domains = 0;
  int nvswitches = 0;  ///< switch planes of all domains
  int nics = 0;
  int leaves = 0;
  int spines = 0;
  int cores = 0;
  std::vector<CableCount> cables;
  std::vector<LevelBandwidth> levels;  ///< NVLink or mesh first, then NIC, leaf up, ...
  Bisection bisection;
};

ClusterFacts cluster_facts(const ClusterMap& map);

/// One cable of a way, in the direction of the data.
struct PathLink {
  std::string from;
  std::string to;
  Bandwidth bandwidth;
  Duration latency{};
  double share = 0;  ///< of the flow; less than 1 where equal ways share it
};

/// How data goes between two GPUs. All links of a step are equally many hops from the start.
struct ClusterPath {
  Distance distance{};
  Duration latency{};
  Bandwidth bandwidth;  ///< what one flow gets alone: the narrowest link by its share
  std::vector<std::vector<PathLink>> steps;
};

/// "same GPU", "NVLink domain", "unit", "fabric".
std::string_view distance_name(Distance distance);

ClusterPath cluster_path(const Cluster& cluster, int from_gpu, int to_gpu);

}  // namespace simtrain
