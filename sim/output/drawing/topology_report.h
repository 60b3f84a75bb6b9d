#pragma once

#include <optional>
#include <string>

#include "sim/topology/cluster_facts.h"

namespace simtrain {

/// The way between two ranks and the GPUs that they run on.
struct RankPath {
  int from_rank = 0;
  int to_rank = 0;
  int from_gpu = 0;
  int to_gpu = 0;
  ClusterPath path;
};

/// What `simtrain topology` reports about a cluster.
struct TopologyReport {
  std::string cluster;  ///< name, nodes, GPUs in words
  std::string wiring;   ///< fabric and how it is wired, in words
  std::string note;     ///< how many nodes were taken by default; may be empty
  ClusterFacts facts;
  std::optional<RankPath> path;
};

/// Nodes of a cluster that are counted where nobody says how many.
inline constexpr int kUsualTopologyNodes = 32;

/// Of a cluster with these figures; without a path.
TopologyReport topology_report(const ClusterSpec& spec, ClusterFacts facts,
                               const std::string& note = "");

/// For people: 80 columns, units on every number.
std::string topology_text(const TopologyReport& report);

/// The same as `simtrain.topology/1`; fields are added later, never renamed.
std::string topology_json(const TopologyReport& report);

/// "51.2 TB/s", "46 GB/s": four digits at most.
std::string bandwidth_text(Bandwidth bandwidth);

/// What a level of bandwidth is called: "NVLink", "NIC", "leaf up", "spine up".
std::string level_name(const LevelBandwidth& level);

}  // namespace simtrain
