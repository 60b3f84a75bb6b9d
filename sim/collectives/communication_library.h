#pragma once

#include <any>

namespace simtrain {

struct LibraryRow;

/// A communication library with the settings that it runs under, as a software stack has it.
struct CommunicationLibrary {
  const LibraryRow* row = nullptr;  ///< none until it is read
  std::any settings;                ///< of the row's own type; only its library looks into them
};

}  // namespace simtrain
