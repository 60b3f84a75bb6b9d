#pragma once

#include "sim/collectives/libraries/nccl/channels.h"

namespace simtrain {

/// What NCCL itself thinks a call takes: `latency * k + bytes / bandwidth` with the tables of its
/// version (src/graph/tuning.cc, 2.18 to 2.30). This is what it chooses by, not what a call takes:
/// the tables know little of GPU generations and nothing of the fabric. Infinite where NCCL would
/// not use the pair. Not for all-to-all and send/receive, where nothing is chosen.
double tuning_seconds(const CollectiveRequest& request, Algorithm algorithm, Protocol protocol,
                      const NcclEnvironment& environment);

/// LL bandwidth that NCCL counts at most over all channels, in GB/s: inside a domain by version and
/// architecture, over two or more by the hosts' processors.
double ll_bandwidth_cap(const GroupLayout& layout, const NcclEnvironment& environment);

}  // namespace simtrain
