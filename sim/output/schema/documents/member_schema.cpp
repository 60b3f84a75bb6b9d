#include "sim/output/schema/documents/member_schema.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "sim/job/simulation/time_use.h"
#include "sim/output/schema/documents/document_members.h"
#include "sim/run/energy/step_energy.h"
#include "sim/study/tune/plan_choice.h"
#include "sim/workload/parallel/share.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

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

Json uses_schema() {
  Json schema = numbers_by<TimeUse>();
  for (Json& use : schema["properties"]) use["description"] = "seconds of a run, mean";
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

Json list_schema(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
template <const char* Type>
Json list_of() {
  return list_schema({{"type", Type}});
}
constexpr char kText[] = "string";
constexpr char kNumber[] = "number";
constexpr char kInteger[] = "integer";
constexpr char kList[] = "array";

/// An integer for names that no table lists.
Json counts_schema() {
  return {{"type", "object"}, {"additionalProperties", {{"type", "integer"}}}};
}

/// A plan of `simtrain tune`: its GPUs and knobs, as far as the model has them.
Json plan_schema() {
  Json schema = object_schema();
  schema["required"].push_back("gpus");
  schema["properties"]["gpus"] = {{"type", "integer"}};
  for (const auto& [name, knob] : EnumNames<Knob>::rows)
    schema["properties"][std::string(name)] = {{"type", is_named(knob) ? "string" : "integer"}};
  return schema;
}

constexpr auto kErrorMembers = std::to_array<SchemaMember>({
    {"points", "integer", "measured and predicted"},
    {"mean", "number", "of absolute errors, as a share"},
    {"median", "number", "of absolute errors"},
    {"percentile_90", "number", "nine of ten absolute errors are smaller"},
    {"bias", "number", "median of errors with their sign"},
});
Json errors_schema() { return schema_of({{kErrorMembers}}); }

constexpr auto kSummaryMembers = std::to_array<SchemaMember>({
    {"rows", "integer", "measured and predicted"},
    {"mean_absolute_error", "number", "as a share"},
    {"largest_absolute_error", "number", "as a share"},
    {"bias", "number", "mean of errors with their sign"},
});
Json summary_schema() { return schema_of({{kSummaryMembers}}); }

constexpr auto kChangeMembers = std::to_array<SchemaMember>({
    {"key", "string", "dotted"},
    {"from", "string", "value before"},
    {"to", "string", "value after"},
});
Json changes_schema() { return list_schema(schema_of({{kChangeMembers}})); }

/// A type that documents share.
struct MemberType {
  std::string_view name;
  Json (*schema)();
};
constexpr auto kMemberTypes = std::to_array<MemberType>({
    {"texts", list_of<kText>},
    {"numbers", list_of<kNumber>},
    {"integers", list_of<kInteger>},
    {"lists", list_of<kList>},
    {"counts", counts_schema},
    {"breakdown", numbers_by<Share>},
    {"parts", numbers_by<PowerPart>},
    {"draws", numbers_by<DrawKind>},
    {"uses", uses_schema},
    {"spread", spread_schema},
    {"plan", plan_schema},
    {"errors", errors_schema},
    {"summary", summary_schema},
    {"changes", changes_schema},
    {"result", result_schema},
});

Json leaf_schema(const SchemaMember& member) {
  if (member.type == "id")
    return {{"const", member.meaning}, {"description", "the schema of the document"}};
  const auto* shared =
      std::find_if(kMemberTypes.begin(), kMemberTypes.end(),
                   [&](const MemberType& type) { return type.name == member.type; });
  Json schema;
  if (shared != kMemberTypes.end())
    schema = shared->schema();
  else if (member.type.ends_with('?'))
    schema["type"] = {member.type.substr(0, member.type.size() - 1), "null"};
  else
    schema["type"] = member.type;
  schema["description"] = member.meaning;
  return schema;
}

void add_member(Json& object, std::string_view way, const SchemaMember& member) {
  const std::size_t dot = way.find('.');
  std::string_view name = way.substr(0, dot);
  const bool list = name.ends_with("[]");
  if (list) name.remove_suffix(2);
  const bool null = name.ends_with("~");
  if (null) name.remove_suffix(1);
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
    properties[key] = list ? list_schema(object_schema()) : object_schema();
    if (null) properties[key]["type"] = {properties[key]["type"], "null"};
  }
  Json& inner = properties[key];
  add_member(list ? inner["items"] : inner, way.substr(dot + 1), member);
}

constexpr auto kChangesMembers = std::to_array<SchemaMember>({
    {"changed_from?.file", "string", "the scenario's file, where keys were changed"},
    {"changed_from?.scenario", "string", "its title"},
    {"changed_from?.source", "string", "its source"},
    {"changed_from?.keys", "changes", "the changed keys"},
    {"changed_from?.gpus?", "string", "what became of the number of GPUs"},
    {"hardware_changes?", "changes", "values of hardware files that were changed"},
});

}  // namespace

Json object_schema() {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", Json::array()},
          {"properties", Json::object()}};
}

SchemaMembers changes_members() { return kChangesMembers; }

Json schema_of(std::initializer_list<SchemaPart> parts) {
  Json schema = object_schema();
  for (const SchemaPart& part : parts) {
    const std::string front = part.at.empty() ? "" : std::string(part.at) + ".";
    for (const SchemaMember& member : part.members)
      add_member(schema, front + std::string(member.way), member);
  }
  return schema;
}

}  // namespace simtrain
