#include "sim/collectives/libraries/library_maps.h"

#include "sim/collectives/libraries/nccl/nccl_library.h"
#include "sim/collectives/libraries/rccl/rccl_library.h"

namespace simtrain {

CommunicationLibrary with_overrides(CommunicationLibrary library, const LibraryOverrides& overrides,
                                    const std::string& source) {
  if (const NcclSettings* nccl = nccl_settings_of(library))
    return nccl_library(with_overrides(*nccl, overrides.nccl, source));
  if (const RcclSettings* rccl = rccl_settings_of(library))
    return rccl_library(with_overrides(*rccl, overrides.rccl, source));
  return library;
}

LibraryOverrides overrides_of(const CommunicationLibrary& library) {
  LibraryOverrides overrides;
  if (const NcclSettings* nccl = nccl_settings_of(library)) overrides.nccl = overrides_of(*nccl);
  if (const RcclSettings* rccl = rccl_settings_of(library)) overrides.rccl = overrides_of(*rccl);
  return overrides;
}

}  // namespace simtrain
