#include "sim/output/run/recipe_report.h"

#include <fmt/format.h>

#include "sim/core/input/yaml_text.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/run/scenario/scenario_fields.h"
#include "sim/workload/model/fields/model_fields.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

template <Fielded T>
Json json_of(const T& value);

Json json_of(const std::string& value) { return value; }
Json json_of(const NcclVersion& version) { return version.text(); }
Json json_of(const ModelChoice& /*model*/) { return "model"; }  // its shape takes the place
Json json_of(Bytes bytes) { return fmt::format("{} B", bytes.value()); }
Json json_of(Money money) { return fmt::format("{} USD", money.value()); }
Json json_of(EnergyPrice price) { return fmt::format("{} USD/kWh", price.value()); }
Json json_of(Duration time) { return fmt::format("{} s", to_seconds(time)); }
Json json_of(CarbonIntensity grid) { return fmt::format("{} g/kWh", grid.value()); }
template <class T>
requires std::is_arithmetic_v<T> Json json_of(T value) { return value; }
template <Named E>
Json json_of(E value) {
  return name_of(value);
}
template <class T>
Json json_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

/// Visitor that writes each field; what is not set, or holds nothing, is left out.
class FieldWriter {
 public:
  explicit FieldWriter(Json& json) : json_(json) {}

  template <class T, class... Limit>
  void operator()(std::string_view key, T& field, Limit... /*limits*/) {
    Json value = json_of(field);
    if (!value.empty()) json_[std::string(key)] = std::move(value);
  }
  template <class T, class... Limit>
  void operator()(std::string_view key, std::optional<T>& field, Limit... /*limits*/) {
    if (field) (*this)(key, *field);
  }
  template <class T, class... Limit>
  void optional(std::string_view key, T& field, Limit... /*limits*/) {
    (*this)(key, field);
  }

 private:
  Json& json_;
};

template <Fielded T>
Json json_of(const T& value) {
  T fields = value;  // a visitor takes what it could change
  Json json = Json::object();
  FieldWriter writer(json);
  visit_fields(writer, fields);
  return json;
}

YamlNode yaml_of(const Json& json) {
  YamlNode node;
  if (json.is_array()) {
    node.kind = YamlNode::Kind::list;
    for (const Json& item : json) node.items.push_back(yaml_of(item));
  } else if (json.is_object()) {
    node.kind = YamlNode::Kind::map;
    for (const auto& [key, value] : json.items()) node.entries.push_back({key, {}, yaml_of(value)});
  } else {
    node.kind = YamlNode::Kind::scalar;
    node.text = json.is_string() ? json.get<std::string>() : json.dump();
  }
  return node;
}

void write(std::string& out, const Json& map, std::size_t indent) {
  for (const auto& [key, value] : map.items()) {
    out += std::string(indent, ' ') + key + ":";
    if (value.is_object()) {
      out += "\n";
      write(out, value, indent + 2);
      continue;
    }
    out += " " + wrapped(flow_text(yaml_of(value)), indent + 2, indent + key.size() + 2) + "\n";
  }
}

void add_rows(std::vector<RecipeRow>& rows, const Json& map, const std::string& path) {
  for (const auto& [key, value] : map.items()) {
    const std::string dotted = yaml_detail::dotted(path, key);
    if (value.is_object()) {
      add_rows(rows, value, dotted);
    } else {
      rows.push_back({dotted, flow_text(yaml_of(value))});
    }
  }
}

}  // namespace

Json recipe_json(const ResolvedRecipe& recipe) {
  constexpr std::string_view kHardware = "hardware.";
  Json json = json_of(recipe.keys);
  json["model"] = json_of(recipe.model);
  for (const KeyChange& change : recipe.hardware)
    json["hardware"][change.key.substr(kHardware.size())] = change.to;
  return json;
}

std::vector<RecipeRow> recipe_rows(const ResolvedRecipe& recipe) {
  std::vector<RecipeRow> rows;
  add_rows(rows, recipe_json(recipe), "");
  return rows;
}

std::string recipe_yaml(const ResolvedRecipe& recipe, std::size_t indent) {
  std::string out;
  write(out, recipe_json(recipe), indent);
  return out;
}

}  // namespace simtrain
