#pragma once

#include <vector>

#include "sim/topology/specs/cluster_spec.h"

namespace simtrain {

/// The hosts of a job of `nodes` in segments, as Slurm's `--segment`: every `segment` hosts that
/// follow one another in the job lie in one NVLink domain; what is left of a domain stays free.
/// `free` are those to choose from, in host order.
/// Throws std::invalid_argument where the segments do not divide the job, are larger than a domain,
/// or too few of them fit.
std::vector<int> in_segments(const ClusterSpec& cluster, const std::vector<int>& free, int nodes,
                             int segment);

/// The fewest hosts, from the first on, that hold a job in segments; `nodes` where none would do.
int hosts_for_segments(const NodeSpec& node, int nodes, int segment);

}  // namespace simtrain
