#pragma once

#include <optional>
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

/// The segments that launchers ask Slurm for where nobody says any: the largest divisor of the
/// job's nodes that an NVLink domain holds. None where a domain holds the whole job, or where
/// groups of 8 GPUs would straddle all of these. Source: `slurm_executor` of NeMo 25.04 and
/// Megatron-Bridge, `scripts/performance`, as remembered.
std::optional<int> usual_segment(const NodeSpec& node, int nodes);

/// The fewest hosts, from the first on, that hold a job in segments; `nodes` where none would do.
int hosts_for_segments(const NodeSpec& node, int nodes, int segment);

}  // namespace simtrain
