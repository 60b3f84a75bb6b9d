#pragma once

#include "sim/collectives/library.h"

namespace simtrain {

/// What the environment's library makes of a call: a collective, an all-to-all, or a send/receive
/// of every rank to the next.
inline TransferCost plan_collective(const CollectiveRequest& request,
                                    const LibraryEnvironment& environment) {
  return environment.library.row->call(request, environment);
}

/// A send and receive in a communicator of `ranks`.
inline TransferCost plan_send_receive(Bytes bytes, Distance distance,
                                      const LibraryEnvironment& environment, int ranks = 2) {
  return environment.library.row->send_receive(bytes, distance, environment, ranks);
}

}  // namespace simtrain
