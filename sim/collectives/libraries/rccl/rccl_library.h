#pragma once

#include "sim/collectives/libraries/rccl/rccl_algorithms.h"
#include "sim/collectives/library.h"

namespace simtrain {

/// RCCL's row; its settings are RcclSettings.
const LibraryRow& rccl_row();

/// RCCL under these settings, as the library of a software stack.
CommunicationLibrary rccl_library(RcclSettings settings);

/// The settings of a stack's RCCL; null where its library is another.
const RcclSettings* rccl_settings_of(const CommunicationLibrary& library);

/// Any call by the request's collective. Calls that MSCCL takes go all at once; of the rest, and of
/// protocols, the least time is taken: RCCL's own tables are not published in terms of links.
TransferCost rccl_call(const CollectiveRequest& request, const RcclEnvironment& environment);

}  // namespace simtrain
