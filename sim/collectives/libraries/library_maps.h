#pragma once

#include <string>

#include "sim/collectives/communication_library.h"
#include "sim/collectives/libraries/nccl/nccl_settings.h"
#include "sim/collectives/libraries/rccl/rccl_settings.h"

namespace simtrain {

/// What a scenario changes of the settings of its software's library: one map a library, by the
/// name of its row.
struct LibraryOverrides {
  NcclOverrides nccl;
  RcclOverrides rccl;
};

/// The library with the overrides over its settings; the source of a changed value is `source`.
CommunicationLibrary with_overrides(CommunicationLibrary library, const LibraryOverrides& overrides,
                                    const std::string& source);

/// The overrides that give the settings of a library, whatever they are laid over.
LibraryOverrides overrides_of(const CommunicationLibrary& library);

}  // namespace simtrain
