#pragma once

#include <vector>

#include "sim/topology/cluster.h"

namespace simtrain {

/// A flow that wants as much as it can get: at most `limit` bytes per second (its channels), and
/// `share` of its own rate on each of its links. `links` is not owned.
struct SharedFlow {
  const std::vector<LinkShare>* links = nullptr;
  double limit = 0;
};

/// Max-min fair rates, by progressive filling: all flows rise together; a flow stops at its own
/// limit or when one of its links is full; the others go on. Pure: no time, no events.
///
/// Every flow ends at its limit or on a full link on which no flow has more; no link carries more
/// than its capacity. The result does not depend on the order of the flows, and n equal flows get
/// exactly what one flow with n-fold shares would get, where shares are fractions whose divisors
/// have small factors (equal splitting over 2, 4 or 18 ways; others agree to 12 digits).
///
/// `capacities` are bytes per second by link id; the result is by flow.
std::vector<double> share_links(const std::vector<double>& capacities,
                                const std::vector<SharedFlow>& flows);

}  // namespace simtrain
