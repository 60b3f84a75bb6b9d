#pragma once

#include <string>
#include <vector>

namespace simtrain {

/// Keys that name a file of the data folder, with the names that exist.
struct NamedFiles {
  std::string key;     ///< "cluster.fabric"
  std::string folder;  ///< "hardware/fabrics"
  std::vector<std::string> names;
};

}  // namespace simtrain
