#pragma once

#include <utility>

#include "sim/collectives/libraries/library_maps.h"
#include "sim/collectives/libraries/nccl/nccl_fields.h"
#include "sim/collectives/libraries/nccl/nccl_library.h"

/// The maps of files that hold settings of libraries: one key a library, by the name of its row.
namespace simtrain {

/// The fields of a software file that name the library of the stack, with its settings.
template <class Visitor>
void visit_library(Visitor& v, CommunicationLibrary& library) {
  const NcclSettings* known = nccl_settings_of(library);
  NcclSettings nccl = known != nullptr ? *known : NcclSettings{};
  v("nccl", nccl);
  library = nccl_library(std::move(nccl));
}

/// The fields of a scenario that change them.
template <class Visitor>
void visit_library(Visitor& v, LibraryOverrides& overrides) {
  v.optional("nccl", overrides.nccl);
}

}  // namespace simtrain
