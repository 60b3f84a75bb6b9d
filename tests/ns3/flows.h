#pragma once

#include "tests/ns3/traffic.h"

namespace simtrain::testing {

/// Simulates the case by simtrain's event loop: each traffic a flow over all links that it takes,
/// at its max-min fair rate. A link carries what is left of its wire beside headers.
SendTimes flow_times(const TrafficCase& one);

}  // namespace simtrain::testing
