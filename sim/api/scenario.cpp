#include <algorithm>

#include <fmt/format.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/core/input/yaml_text.h"
#include "sim/core/suggestion.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/text/yaml_json.h"

namespace simtrain::api {

void Scenario::Content::check_row() const {
  if (!row.empty() || !source.has_table()) return;
  throw simtrain::InputError({file}, "row",
                             fmt::format("is missing: the file has a table; row '{}' would do",
                                         source.row_names().front()));
}

simtrain::Scenario Scenario::Content::scenario() const {
  check_row();
  return source.scenario(Access::of(data).folder, row, settings);
}

YamlNode Scenario::Content::titled_tree() const {
  static_cast<void>(scenario());
  return source.titled_tree(Access::of(data).folder, row, settings);
}

Scenario Scenario::from_file(const DataFolder& data, const std::string& path) {
  return guarded([&] {
    return Scenario(std::make_shared<const Content>(
        Content{data, path, ScenarioSource::from_file(path), {}, {}}));
  });
}

Scenario Scenario::from_data(const DataFolder& data, const std::string& name) {
  return guarded([&] {
    const std::vector<std::string> known = data.names("scenarios");
    if (!std::binary_search(known.begin(), known.end(), name))
      throw simtrain::InputError({data.path() + "/scenarios"}, "",
                                 fmt::format("holds no '{}'; {}", name, suggestion(name, known)));
    return from_file(data, fmt::format("{}/scenarios/{}.yaml", data.path(), name));
  });
}

Scenario Scenario::from_text(const DataFolder& data, const std::string& yaml,
                             const std::string& name) {
  return guarded([&] {
    return Scenario(std::make_shared<const Content>(
        Content{data, name, ScenarioSource::from_text(yaml, name), {}, {}}));
  });
}

std::vector<std::string> Scenario::rows() const { return content_->source.row_names(); }

Scenario Scenario::row(const std::string& name) const {
  return guarded([&] {
    const std::vector<std::string> known = rows();
    if (known.empty()) throw simtrain::InputError({content_->file}, "row", "the file has no table");
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw simtrain::InputError(
          {content_->file}, "row",
          fmt::format("'{}' is no row of the table; {}", name, suggestion(name, known)));
    Content changed = *content_;
    changed.row = name;
    return Scenario(std::make_shared<const Content>(std::move(changed)));
  });
}

Scenario Scenario::with(const std::string& key, const std::string& value) const {
  return guarded([&] {
    const SourcePlace place{key + "=" + value, 1, 1};
    const int column = static_cast<int>(key.size()) + 2;
    YamlNode node = load_yaml_text(value, place.file, column);
    if (node.kind == YamlNode::Kind::null) node.place = {place.file, 1, column};
    Content changed = *content_;
    changed.settings.push_back({dotted_key(key), place, std::move(node)});
    return Scenario(std::make_shared<const Content>(std::move(changed)));
  });
}

const DataFolder& Scenario::data() const { return content_->data; }

void Scenario::check() const {
  guarded([&] { static_cast<void>(content_->scenario()); });
}

std::string Scenario::name() const {
  return guarded([&] { return content_->scenario().name; });
}

int Scenario::gpus() const {
  return guarded([&] { return content_->scenario().gpus(); });
}

std::string Scenario::yaml() const {
  return guarded([&] { return block_text(content_->titled_tree()); });
}

std::string Scenario::json() const {
  return guarded([&] { return json_text(yaml_json(content_->titled_tree())); });
}

}  // namespace simtrain::api
