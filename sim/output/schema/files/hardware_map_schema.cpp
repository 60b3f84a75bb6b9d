#include "sim/output/schema/files/hardware_map_schema.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/output/schema/files/schema_of_fields.h"
#include "sim/run/scenario/hardware_keys.h"
#include "sim/topology/specs/cluster_fields.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/topology/specs/node_fields.h"
#include "sim/workload/model/fields/software_fields.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json empty_map() {
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
}

bool is_map(const Json& schema) { return schema.contains("properties"); }

/// A value without the source that a file gives it.
Json plain_value(const Json& schema) {
  if (!is_map(schema) || !schema.at("properties").contains("value")) return schema;
  Json value = schema.at("properties").at("value");
  if (schema.contains("description")) value["description"] = schema.at("description");
  return value;
}

/// Either of two, where files of two kinds have a key.
Json either(Json first, Json second) {
  if (first == second) return first;
  if (is_map(first) && is_map(second)) {
    for (auto& [key, value] : second.at("properties").items()) {
      Json& known = first["properties"][key];
      known = known.is_null() ? value : either(known, value);
    }
    return first;
  }
  const std::string meaning =
      first.value("description", "") + "; or " + second.value("description", "");
  return {{"anyOf", {std::move(first), std::move(second)}}, {"description", meaning}};
}

void add(Json& map, const std::string& key, Json value) {
  Json& known = map["properties"][key];
  known = known.is_null() ? std::move(value) : either(known, std::move(value));
}

/// The values of a file, in maps; `rows` gets those in rows of lists, by what matches their keys.
Json values_of(const Json& file, const std::string& pattern, Json& rows) {
  Json map = empty_map();
  if (file.contains("description")) map["description"] = file.at("description");
  for (const auto& [key, value] : file.at("properties").items()) {
    if (is_text_key(key)) continue;
    const Json plain = plain_value(value);
    if (plain.contains("items")) {
      const Json& row = plain.at("items");
      if (is_map(row)) static_cast<void>(values_of(row, pattern + key + "\\[[^\\]]+\\]\\.", rows));
      continue;
    }
    if (is_map(plain)) {
      add(map, key, values_of(plain, pattern + key + "\\.", rows));
      continue;
    }
    rows[pattern + key] = plain;
    add(map, key, plain);
  }
  return map;
}

/// Keys with dots or brackets, from a map on: what is deeper in it.
void add_dotted(Json& map, const std::string& before, const Json& rows) {
  for (const auto& [pattern, value] : rows.items()) {
    if (!pattern.starts_with(before)) continue;
    const std::string rest = pattern.substr(before.size());
    if (rest.find("\\.") == std::string::npos) continue;
    Json& known = map["patternProperties"]["^" + rest + "$"];
    known = known.is_null() ? value : either(known, value);
  }
  for (auto& [key, value] : map["properties"].items()) {
    if (is_map(value)) add_dotted(value, before + key + "\\.", rows);
  }
}

template <class Spec>
void add_kind(Json& hardware, const std::string& name) {
  const Json file = FieldSchema::of<Spec>(name, {});
  Json rows = Json::object();
  Json values = values_of(file, "", rows);
  add_dotted(values, "", rows);
  values["description"] = "values of the file of the " + name;
  Json own = values;
  own.erase("description");
  Json& patterns = hardware["patternProperties"];
  for (const auto& [pattern, value] : own.at("patternProperties").items()) {
    Json& known = patterns[pattern];
    known = known.is_null() ? value : either(known, value);
  }
  for (const auto& [pattern, value] : rows.items())
    patterns[fmt::format("^{}\\.{}$", name, pattern)] = value;
  for (const auto& [key, value] : own.at("properties").items()) add(hardware, key, value);
  add(hardware, name, std::move(values));
}

}  // namespace

Json hardware_map_schema() {
  Json hardware = empty_map();
  hardware["patternProperties"] = Json::object();
  add_kind<GpuSpec>(hardware, "gpu");
  add_kind<NodeSpec>(hardware, "node");
  add_kind<FabricSpec>(hardware, "fabric");
  add_kind<SoftwareSpec>(hardware, "software");
  return hardware;
}

}  // namespace simtrain
