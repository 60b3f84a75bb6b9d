#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/core/quantity.h"

namespace simtrain {

/// A file of another program, as read; `path` is for messages.
struct ImportFile {
  std::string path;
  std::string text;
};

/// The user's options beside the file.
struct ImportRequest {
  std::string name;                        ///< of what is imported
  std::optional<std::string> gpu;          ///< a name in hardware/gpus
  std::optional<Bandwidth> nic_bandwidth;  ///< line rate of one compute NIC
};

/// One kind of file that can be imported. `read` returns a simtrain YAML file with comments on what
/// was read and what had to be assumed; it throws InputError at a line of the file.
struct ImportFormat {
  std::string_view name;
  std::string_view help;
  bool (*recognizes)(std::string_view text);
  std::string (*read)(const ImportFile&, const ImportRequest&, const DataFolder&);
};

/// The formats that describe one node; what they give is a file for hardware/nodes.
const std::vector<ImportFormat>& node_formats();

}  // namespace simtrain
