#pragma once

#include "sim/core/files/data_folder.h"
#include "tests/core/checkout.h"

namespace simtrain::testing {

/// hardware/ and scenarios/ of the repository: a process reads each file once, as the program does.
inline const DataFolder& data_folder() {
  static const DataFolder folder(source_dir());
  return folder;
}

}  // namespace simtrain::testing
