#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/number_key.h"
#include "sim/core/yaml_reader.h"

namespace simtrain {

/// The folder that holds `hardware/` and `scenarios/`: one YAML file a GPU, node, fabric, cluster,
/// software stack, overlap table and model, found by name.
class DataFolder {
 public:
  explicit DataFolder(std::string root) : root_(std::move(root)) {}

  /// The same folder with some numbers of `hardware/` set to others, in the order given.
  [[nodiscard]] DataFolder with(std::vector<NumberOverride> numbers) const;

  [[nodiscard]] const std::string& root() const { return root_; }

  /// The names that exist in a family ("hardware/gpus", "scenarios/models", ...), sorted.
  [[nodiscard]] std::vector<std::string> names(std::string_view family) const;

  /// Reads one file of a family. `where` and `key` are the place that names it: an unknown name is
  /// an InputError there that says which names exist.
  template <class T>
  [[nodiscard]] T load(std::string_view family, const std::string& name, const SourcePlace& where,
                       const std::string& key) const {
    return read_yaml<T>(load_tree(family, name, where, key), "");
  }
  [[nodiscard]] YamlNode load_tree(std::string_view family, const std::string& name,
                                   const SourcePlace& where, const std::string& key) const;

 private:
  std::string root_;
  std::vector<NumberOverride> numbers_;
};

}  // namespace simtrain
