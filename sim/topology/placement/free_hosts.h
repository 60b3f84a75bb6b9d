#pragma once

#include <vector>

#include "sim/topology/placement/placement.h"

namespace simtrain {

/// The hosts of a job among those that others have left, in the order in which its ranks go over
/// them: the first free ones in the order in which its kind of placement takes hosts of an empty
/// cluster, or those that it lists. `taken` is by host.
/// Throws std::invalid_argument, with one sentence, where they are too few, where one that it lists
/// is taken, and as placed_hosts() does. Placement `fragmented` is refused, which makes up the
/// others of a cluster: here they are known.
std::vector<int> free_hosts(const ClusterSpec& cluster, const PlacementRequest& request,
                            const std::vector<bool>& taken);

/// The free hosts that lie below the fewest leaves, whole units before parts, as a list of so many.
std::vector<int> hosts_in_fewest_units(const ClusterSpec& cluster, int nodes,
                                       const std::vector<bool>& taken);

}  // namespace simtrain
