#include "sim/output/schema/files/scenario_schema.h"

#include <utility>

#include "sim/output/schema/files/hardware_map_schema.h"
#include "sim/output/schema/files/schema_of_fields.h"
#include "sim/run/scenario/job_fields.h"
#include "sim/run/scenario/scenario_fields.h"
#include "sim/workload/model/fields/model_fields.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json described(Json schema, std::string_view meaning) {
  schema["description"] = meaning;
  return schema;
}

/// The dotted keys of a schema's maps, of those in them too.
void add_dotted_keys(const Json& schema, const std::string& path, Json& keys) {
  if (const auto found = schema.find("properties"); found != schema.end()) {
    for (const auto& [key, value] : found->items()) {
      keys.push_back(path + key);
      add_dotted_keys(value, path + key + ".", keys);
    }
  }
  if (const auto found = schema.find("anyOf"); found != schema.end()) {
    for (const Json& choice : *found) add_dotted_keys(choice, path, keys);
  }
}

/// One of some keys, or a value of the hardware.
Json key_schema(Json keys) {
  return {
      {"anyOf", {{{"enum", std::move(keys)}}, {{"type", "string"}, {"pattern", "^hardware\\."}}}}};
}

Json table_columns_schema(const Json& scenario, const Json& model) {
  Json keys = Json::array({"row"});
  add_dotted_keys(scenario, "", keys);
  for (const char* path : {"model.", "model_overrides."}) add_dotted_keys(model, path, keys);
  return described({{"type", "array"},
                    {"uniqueItems", true},
                    {"minItems", 1},
                    {"prefixItems", Json::array({Json{{"const", "row"}}})},
                    {"items", key_schema(std::move(keys))}},
                   "`row`, the name of a row, and dotted keys");
}

Json table_schema(Json columns) {
  const Json rows = described(
      {{"type", "array"}, {"minItems", 1}, {"items", {{"type", "array"}, {"minItems", 1}}}},
      "of values, one for each column");
  return described({{"type", "object"},
                    {"additionalProperties", false},
                    {"required", {"columns", "rows"}},
                    {"properties", {{"columns", std::move(columns)}, {"rows", rows}}}},
                   "one scenario a row: `row` and dotted keys, and their values");
}

Json sweep_block_schema() {
  return described(
      {{"type", "object"},
       {"propertyNames", varied_key_schema()},
       {"additionalProperties", {{"type", {"string", "number", "boolean", "array"}}}}},
      "what simtrain sweep varies: keys with a value, a list or a range FIRST:LAST[:STEP]");
}

/// What a scenario that is no table must have: the keys of its maps, and a number of nodes or GPUs.
Json required_keys() {
  Json required = RequiredFields::of<ScenarioFile>();
  required["properties"]["job"] = RequiredFields::of<JobSpec>();
  required["properties"]["cluster"]["anyOf"] = {{{"required", {"nodes"}}},
                                                {{"required", {"gpus"}}}};
  return required;
}

}  // namespace

void require_unless(Json& schema, std::string_view other, Json required) {
  schema["if"] = {{"required", {other}}};
  schema["then"] = true;
  schema["else"] = std::move(required);
}

Json varied_key_schema() {
  Json keys = short_keys();
  for (const std::string& key : scenario_keys()) keys.push_back(key);
  return key_schema(std::move(keys));
}

Json scenario_file_schema(const std::vector<NamedFiles>& files) {
  Json schema = FieldSchema::of<ScenarioFile>("scenario", files);
  Json& properties = schema["properties"];
  Json model = FieldSchema::of<ModelSpec>("model", files);
  properties["job"] =
      described(FieldSchema::of<JobSpec>("scenario.job", files), meaning_of("scenario.job"));
  Json table = table_schema(table_columns_schema(schema, model));
  properties["model_overrides"] =
      described({{"$ref", "#/$defs/model"}}, "keys of the model file that it replaces");
  properties["hardware"] = described(hardware_map_schema(),
                                     "values of the GPU, node, fabric and software files that it "
                                     "replaces (simtrain help hardware)");
  properties["table"] = std::move(table);
  properties["sweep"] = sweep_block_schema();
  require_unless(schema, "table", required_keys());
  schema["$defs"]["model"] = std::move(model);
  return schema;
}

}  // namespace simtrain
