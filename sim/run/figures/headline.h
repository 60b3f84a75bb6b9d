#pragma once

#include <string>
#include <vector>

#include "sim/core/input/yaml_tree.h"
#include "sim/run/figures/key_change.h"

namespace simtrain {

/// The scenario of a file that was simulated with other keys than the file has.
struct ChangedFrom {
  std::string file;             ///< its name, with its row: "llama31_8b_h100.yaml [bf16-8]"
  std::string name;             ///< as the file calls it
  std::string source;           ///< of what the file says
  std::vector<KeyChange> keys;  ///< but for those of hardware
  std::string gpus;  ///< what became of the number of GPUs where another cluster changed it
};

/// The keys whose values differ, in the order of `after`, those that are gone last. The title keys
/// (name, source, notes) and `hardware` are left out.
std::vector<KeyChange> key_changes(const YamlNode& before, const YamlNode& after);

/// "llama31_8b_h100.yaml [bf16-8]", without its folder.
std::string file_and_row(const std::string& path, const std::string& row);

/// What a changed scenario says of its source: that of the unchanged one, called so.
std::string changed_source(const ChangedFrom& from);

/// The changes as lines of text: "tp: 1 -> 2".
std::vector<std::string> change_lines(const std::vector<KeyChange>& changes);

}  // namespace simtrain
