#pragma once

#include <string>

#include "sim/output/drawing/cluster_svg.h"
#include "sim/output/drawing/topology_report.h"

namespace simtrain {

/// A report on a cluster as one page: its drawing, its tables and the way between two ranks.
std::string topology_html(const ClusterMap& map, const TopologyReport& report,
                          const Highlight& highlight);

}  // namespace simtrain
