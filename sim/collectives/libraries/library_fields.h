#pragma once

#include <optional>
#include <utility>

#include "sim/collectives/libraries/library_maps.h"
#include "sim/collectives/libraries/nccl/nccl_fields.h"
#include "sim/collectives/libraries/nccl/nccl_library.h"
#include "sim/collectives/libraries/rccl/rccl_fields.h"
#include "sim/collectives/libraries/rccl/rccl_library.h"

/// The maps of files that hold settings of libraries: one key a library, by the name of its row.
namespace simtrain {

/// The fields of a software file that name the library of the stack, with its settings; no library
/// where the file has none or two.
template <class Visitor>
void visit_library(Visitor& v, CommunicationLibrary& library) {
  std::optional<NcclSettings> nccl;
  std::optional<RcclSettings> rccl;
  if (const NcclSettings* known = nccl_settings_of(library)) nccl = *known;
  if (const RcclSettings* known = rccl_settings_of(library)) rccl = *known;
  v.optional("nccl", nccl);
  v.optional("rccl", rccl);
  library = {};
  if (nccl && !rccl) library = nccl_library(std::move(*nccl));
  if (rccl && !nccl) library = rccl_library(std::move(*rccl));
}

/// The fields of a scenario that change them.
template <class Visitor>
void visit_library(Visitor& v, LibraryOverrides& overrides) {
  v.optional("nccl", overrides.nccl);
  v.optional("rccl", overrides.rccl);
}

}  // namespace simtrain
