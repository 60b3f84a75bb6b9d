#include "sim/output/schema/member_schema.h"

#include <array>
#include <string>
#include <utility>

#include "sim/job/simulation/time_use.h"
#include "sim/run/energy/step_energy.h"
#include "sim/workload/parallel/share.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json object_schema() {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", Json::array()},
          {"properties", Json::object()}};
}

/// A number for each name of an enumeration.
template <class Kind>
Json numbers_by() {
  Json schema = object_schema();
  for (const auto& row : EnumNames<Kind>::rows) {
    schema["required"].push_back(row.first);
    schema["properties"][std::string(row.first)] = {{"type", "number"}};
  }
  return schema;
}

/// Of a figure over the runs of a job.
Json spread_schema() {
  constexpr auto kFigures =
      std::to_array<std::pair<const char*, const char*>>({{"mean", "of all runs"},
                                                          {"p5", "one run in twenty is lower"},
                                                          {"p10", "one run in ten is lower"},
                                                          {"p50", "half of the runs are lower"},
                                                          {"p90", "one run in ten is higher"},
                                                          {"p95", "one run in twenty is higher"}});
  Json schema = object_schema();
  for (const auto& [name, meaning] : kFigures) {
    schema["required"].push_back(name);
    schema["properties"][name] = {{"type", "number"}, {"description", meaning}};
  }
  return schema;
}

Json leaf_schema(const SchemaMember& member) {
  Json schema;
  if (member.type == "breakdown") {
    schema = numbers_by<Share>();
  } else if (member.type == "parts") {
    schema = numbers_by<PowerPart>();
  } else if (member.type == "draws") {
    schema = numbers_by<DrawKind>();
  } else if (member.type == "uses") {
    schema = numbers_by<TimeUse>();
    for (Json& use : schema["properties"]) use["description"] = "seconds of a run, mean";
  } else if (member.type == "spread") {
    schema = spread_schema();
  } else if (member.type.ends_with('?')) {
    schema["type"] = {member.type.substr(0, member.type.size() - 1), "null"};
  } else {
    schema["type"] = member.type;
  }
  schema["description"] = member.meaning;
  return schema;
}

void add_member(Json& object, std::string_view way, const SchemaMember& member) {
  const std::size_t dot = way.find('.');
  std::string_view name = way.substr(0, dot);
  const bool list = name.ends_with("[]");
  if (list) name.remove_suffix(2);
  const bool optional = name.ends_with("?");
  if (optional) name.remove_suffix(1);
  const std::string key(name);
  Json& properties = object["properties"];
  if (!properties.contains(key)) {
    if (!optional) object["required"].push_back(key);
    if (dot == std::string_view::npos) {
      properties[key] = leaf_schema(member);
      return;
    }
    properties[key] = list ? Json{{"type", "array"}, {"items", object_schema()}} : object_schema();
  }
  Json& inner = properties[key];
  add_member(list ? inner["items"] : inner, way.substr(dot + 1), member);
}

}  // namespace

Json schema_of(std::span<const SchemaMember> members) {
  Json schema = object_schema();
  for (const SchemaMember& member : members) add_member(schema, member.way, member);
  return schema;
}

}  // namespace simtrain
