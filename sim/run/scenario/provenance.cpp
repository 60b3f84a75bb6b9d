#include "sim/run/scenario/provenance.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/yaml_text.h"

namespace simtrain {
namespace {

constexpr std::string_view kSourceEnd = "_source";

bool number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.+-eE") == text.npos &&
         std::isdigit(static_cast<unsigned char>(text.back())) != 0;
}

/// "700 TFLOP/s" is 700 and TFLOP/s; anything but a number and a word stays whole.
std::array<std::string, 2> value_and_unit(const std::string& text) {
  const std::size_t space = text.find(' ');
  if (space == text.npos || text.find(' ', space + 1) != text.npos ||
      !number(std::string_view(text).substr(0, space)))
    return {text, ""};
  return {text.substr(0, space), text.substr(space + 1)};
}

bool holds_maps(const YamlNode& list) {
  return std::any_of(list.items.begin(), list.items.end(), [](const YamlNode& item) {
    return item.kind == YamlNode::Kind::map ||
           (item.kind == YamlNode::Kind::list && holds_maps(item));
  });
}

/// "[data_type=fp8]": the leading words of a row; "[2]" where it has none.
std::string row_key(const YamlNode& row, std::size_t index) {
  std::string key;
  for (const YamlEntry& entry : row.entries) {
    if (entry.value.kind != YamlNode::Kind::scalar || entry.key == "source" ||
        entry.value.text.empty() ||
        std::isalpha(static_cast<unsigned char>(entry.value.text.front())) == 0)
      break;
    key += fmt::format("[{}={}]", entry.key, entry.value.text);
  }
  return key.empty() ? fmt::format("[{}]", index) : key;
}

class Walk {
 public:
  /// Of the values of `file`; others were set elsewhere.
  explicit Walk(std::string file) : file_(std::move(file)) {}

  void value(const YamlNode& node, const std::string& key, const std::string& source) {
    if (node.kind == YamlNode::Kind::map) return map(node, key, source);
    if (node.kind == YamlNode::Kind::list && holds_maps(node)) {
      for (std::size_t i = 0; i < node.items.size(); ++i)
        value(node.items[i], key + row_key(node.items[i], i), source);
      return;
    }
    auto [text, unit] =
        value_and_unit(node.kind == YamlNode::Kind::scalar ? node.text : flow_text(node));
    const bool here = node.place.file == file_;
    rows.push_back({key, std::move(text), std::move(unit), source, here ? node.place.line : 0,
                    here ? "" : set_by(node.place)});
  }

  std::vector<ProvenanceRow> rows;

 private:
  /// An option as it was typed, or the line of the file that this one is based on.
  static std::string set_by(const SourcePlace& place) {
    if (place.file.starts_with("--set")) return place.file;
    return fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
  }

  void map(const YamlNode& node, const std::string& key, std::string source) {
    if (const YamlNode* own = node.find("source")) source = own->text;
    const YamlNode* sourced = node.find("value");
    if (sourced != nullptr && node.entries.size() == 2) return value(*sourced, key, source);
    for (const YamlEntry& entry : node.entries) {
      if (entry.key == "source" || entry.key.ends_with(kSourceEnd) || entry.key == "notes" ||
          (key.empty() && (entry.key == "name" || entry.key == "description")))
        continue;
      const YamlNode* named = node.find(entry.key + std::string(kSourceEnd));
      value(entry.value, key.empty() ? entry.key : key + "." + entry.key,
            named != nullptr ? named->text : source);
    }
  }

  std::string file_;
};

/// The model that a scenario names; its keys are in the scenario where it states them itself.
void add_model(const DataFolder& data, const YamlNode& scenario,
               std::vector<ProvenanceFile>& files) {
  const YamlNode* model = scenario.find("model");
  if (model == nullptr || model->kind == YamlNode::Kind::map) return;
  const std::string path =
      model_path(scenario).value_or(fmt::format("scenarios/models/{}.yaml", model->text));
  files.push_back({path, provenance_rows(model_tree(data, scenario))});
}

}  // namespace

std::vector<ProvenanceRow> provenance_rows(const YamlNode& tree) {
  Walk walk(tree.place.file);
  walk.value(tree, "", "");
  return std::move(walk.rows);
}

std::vector<ProvenanceFile> provenance_of(const DataFolder& data, const YamlNode& keys) {
  const DataFolder changed = scenario_hardware(data, keys, keys.find("hardware")).data;
  std::vector<ProvenanceFile> files{{keys.place.file, provenance_rows(keys)}};
  const auto add = [&](const std::string& family, const std::string& name) {
    if (name.empty()) return;
    const YamlNode tree = changed.load_tree(family, name, {}, family);
    files.push_back({fmt::format("{}/{}.yaml", family, name), provenance_rows(tree)});
  };
  add_model(data, keys, files);
  for (const HardwareFile& file : hardware_files(changed, keys))
    files.push_back(
        {fmt::format("hardware/{}/{}.yaml", file.family, file.name), provenance_rows(file.tree)});
  add("hardware/tp_overlap", text_at(keys, "overlap.tp_comm_overlap_table"));
  add("hardware", "uncertainty");
  add("hardware", "power");
  return files;
}

}  // namespace simtrain
