#include <array>

#include "sim/collectives/libraries/nccl/nccl_library.h"
#include "sim/collectives/libraries/rccl/rccl_library.h"
#include "sim/collectives/library.h"

namespace simtrain {

std::span<const LibraryRow* const> library_rows() {
  static const std::array rows{&nccl_row(), &rccl_row()};
  return rows;
}

CommunicationLibrary usual_library(const LibraryRow& row) { return {&row, row.usual_settings()}; }

}  // namespace simtrain
