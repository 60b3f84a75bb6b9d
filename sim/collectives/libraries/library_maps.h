#pragma once

#include <string>
#include <utility>

#include "sim/collectives/libraries/nccl/nccl_library.h"

/// The maps of files that hold settings of libraries: one key a library, by the name of its row.
namespace simtrain {

/// The fields of a software file that say which library the stack has, with its settings.
template <class Visitor>
void library_fields(CommunicationLibrary& library, Visitor& v) {
  const NcclSettings* known = nccl_settings_of(library);
  NcclSettings nccl = known != nullptr ? *known : NcclSettings{};
  v("nccl", nccl);
  library = nccl_library(std::move(nccl));
}

/// What a scenario changes of the settings of its software's library.
struct LibraryOverrides {
  NcclOverrides nccl;
  template <class Visitor>
  void fields(Visitor& v) {
    v.optional("nccl", nccl);
  }
};

/// The library with the overrides over its settings; the source of a changed value is `source`.
CommunicationLibrary with_overrides(CommunicationLibrary library, const LibraryOverrides& overrides,
                                    const std::string& source);

/// The overrides that give the settings of a library, whatever they are laid over.
LibraryOverrides overrides_of(const CommunicationLibrary& library);

}  // namespace simtrain
