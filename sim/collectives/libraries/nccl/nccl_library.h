#pragma once

#include "sim/collectives/libraries/nccl/channels.h"
#include "sim/collectives/library.h"

namespace simtrain {

/// NCCL's row; its settings are NcclSettings.
const LibraryRow& nccl_row();

/// NCCL under these settings, as the library of a software stack.
CommunicationLibrary nccl_library(NcclSettings settings);

/// The settings of a stack's NCCL; null where its library is another.
const NcclSettings* nccl_settings_of(const CommunicationLibrary& library);

/// Algorithm and protocol of a call as NCCL chooses them: the least of `tuning_seconds` among what
/// is on offer and allowed by NCCL_ALGO and NCCL_PROTO; then what that choice really takes.
/// Where the settings leave nothing, the ring with the Simple protocol stays, as in NCCL.
TransferCost nccl_collective(const CollectiveRequest& request, const NcclEnvironment& environment);

/// An all-to-all of `bytes` of send buffer per rank: a send to every peer, all at once.
TransferCost nccl_all_to_all(const CollectiveRequest& request, const NcclEnvironment& environment);

/// A send and receive in a communicator of `ranks`. Over the network each channel moves a chunk per
/// turn-around, so that the default of few channels and small chunks stays below line rate
/// (NVIDIA/nccl issue 2409).
TransferCost nccl_send_receive(Bytes bytes, Distance distance, const NcclEnvironment& environment,
                               int ranks = 2);

/// Any of the above by the collective named in the request; send/receive goes over the farthest
/// neighbours of the layout's ring.
TransferCost nccl_call(const CollectiveRequest& request, const NcclEnvironment& environment);

}  // namespace simtrain
