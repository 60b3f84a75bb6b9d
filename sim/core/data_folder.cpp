#include "sim/core/data_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace simtrain {

DataFolder DataFolder::with(std::vector<NumberOverride> numbers) const {
  DataFolder result(root_);
  result.numbers_ = numbers_;
  for (NumberOverride& number : numbers) result.numbers_.push_back(std::move(number));
  return result;
}

std::vector<std::string> DataFolder::names(std::string_view family) const {
  std::vector<std::string> result;
  std::error_code error;
  const auto folder = std::filesystem::path(root_) / family;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".yaml") result.push_back(entry.path().stem().string());
  }
  std::sort(result.begin(), result.end());
  return result;
}

YamlNode DataFolder::load_tree(std::string_view family, const std::string& name,
                               const SourcePlace& where, const std::string& key) const {
  const std::vector<std::string> known = names(family);
  if (!std::binary_search(known.begin(), known.end(), name)) {
    const std::string hint =
        known.empty() ? fmt::format("no files in {}/{}", root_, family) : suggestion(name, known);
    throw InputError(where, key, fmt::format("'{}' is not in {}; {}", name, family, hint));
  }
  const auto path = std::filesystem::path(root_) / family / (name + ".yaml");
  YamlNode tree = load_yaml_file(path.string());
  const std::string file = fmt::format("{}/{}.yaml", family, name);
  for (const NumberOverride& number : numbers_) {
    if (file == "hardware/" + number.file) set_number(tree, number);
  }
  return tree;
}

}  // namespace simtrain
