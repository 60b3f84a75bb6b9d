#pragma once

#include <string>
#include <vector>

#include "sim/output/drawing/topology_report.h"

namespace simtrain {

/// GPUs that a drawing marks, and what they are ("TP group of rank 0").
struct Highlight {
  std::string title;
  std::vector<int> gpus;
};

/// "1024 GPUs, 128 NVLink domains, 32 leaf switches, 16 spine switches; bisection 25.6 TB/s".
std::string cluster_words(const ClusterFacts& facts);

/// The cluster as a self-contained SVG: switches above, the units with their NVLink domains and
/// GPUs below, links in between (drawn once for all cables between two boxes, as wide as their
/// bandwidth). What would be too much to read is one box: units beyond the first, many spines.
/// Light and dark by the reader's setting; every box has its name in a <title>.
std::string cluster_svg(const ClusterMap& map, const TopologyReport& report,
                        const Highlight& highlight);

}  // namespace simtrain
