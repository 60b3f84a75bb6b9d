#include "sim/run/scenario/model_choice.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "sim/core/files/yaml_file.h"
#include "sim/workload/model/fields/model_fields.h"

namespace simtrain {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kKey = "model";

bool names_path(const YamlNode& model) {
  return model.kind == YamlNode::Kind::scalar &&
         (model.text.find('/') != std::string::npos || model.text.ends_with(".yaml"));
}

YamlNode model_file(const DataFolder& data, const std::string& path, const SourcePlace& where) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    throw InputError(where, std::string(kKey),
                     fmt::format("'{}' is no file; the path of a model file, a name that "
                                 "'simtrain list models' shows or a map of its keys would do",
                                 path));
  }
  return data.derived<YamlNode>("model file " + path, [&] { return load_yaml_file(path); });
}

/// What the scenario says in place of a file, with its source where the map has none.
YamlNode own_model(const YamlNode& scenario, YamlNode model) {
  const YamlNode* source = scenario.find("source");
  if (model.find("source") == nullptr && source != nullptr)
    model.entries.push_back({"source", source->place, *source});
  return model;
}

}  // namespace

void read_value(const YamlNode& node, const std::string& key, ModelChoice& model) {
  if (node.kind == YamlNode::Kind::list) {
    throw InputError(node.place, key,
                     "must be a name, a path or a map of a model's keys, found a list");
  }
  if (node.kind != YamlNode::Kind::map) static_cast<void>(scalar_text(node, key));
  model.written = node;
}

std::optional<std::string> model_path(const YamlNode& scenario) {
  const YamlNode* model = scenario.find(kKey);
  if (model == nullptr || !names_path(*model)) return std::nullopt;
  if (model->place.file != scenario.place.file) return model->text;
  return (fs::path(scenario.place.file).parent_path() / model->text).string();
}

YamlNode model_tree(const DataFolder& data, const YamlNode& scenario) {
  const YamlNode* model = scenario.find(kKey);
  if (model == nullptr) yaml_detail::missing(scenario, std::string(kKey));
  if (model->kind == YamlNode::Kind::map) return own_model(scenario, *model);
  if (const auto path = model_path(scenario)) return model_file(data, *path, model->place);
  return data.load_tree("scenarios/models", scalar_text(*model, std::string(kKey)), model->place,
                        std::string(kKey));
}

ModelSpec load_model(const DataFolder& data, const YamlNode& scenario,
                     const std::optional<YamlNode>& overrides, YamlNode& tree) {
  tree = model_tree(data, scenario);
  const bool own = scenario.find(kKey)->kind == YamlNode::Kind::map;
  auto model = read_yaml<ModelSpec>(tree, own ? std::string(kKey) : "");
  if (!overrides) return model;
  yaml_detail::check_keys(*overrides, "model_overrides", field_names<ModelSpec>());
  for (const YamlEntry& entry : overrides->entries)
    set_yaml_value(tree, entry.key, entry.value, entry.place);
  return read_yaml<ModelSpec>(tree, "model_overrides");
}

void keep_model_path(YamlNode& scenario, const std::string& file) {
  const auto path = model_path(scenario);
  YamlNode* model = scenario.find(kKey);
  if (!path || fs::path(model->text).is_absolute()) return;
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  const std::string relative =
      fs::absolute(*path).lexically_normal().lexically_relative(folder).string();
  model->text = relative.find('/') == std::string::npos ? "./" + relative : relative;
  model->place.file = scenario.place.file;
}

}  // namespace simtrain
