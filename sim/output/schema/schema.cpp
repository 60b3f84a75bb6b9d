#include "sim/output/schema/schema.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "sim/core/suggestion.h"
#include "sim/output/schema/result_schema.h"
#include "sim/output/schema/schema_of_fields.h"
#include "sim/output/text/json_parts.h"
#include "sim/run/scenario/job_fields.h"
#include "sim/run/scenario/machine_fields.h"
#include "sim/run/scenario/scenario_fields.h"
#include "sim/run/shared/fabric_fields.h"
#include "sim/topology/specs/cluster_fields.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/topology/specs/node_fields.h"
#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/fields/software_fields.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;
using Files = std::vector<NamedFiles>;

/// A key that names a file, and the folder of these files.
struct FileKey {
  std::string_view key;
  std::string_view folder;
};
constexpr auto kFileKeys = std::to_array<FileKey>({
    {"scenario.cluster.name", "hardware/clusters"},
    {"scenario.cluster.machine", "hardware/machines"},
    {"scenario.software", "hardware/software"},
    {"scenario.model", "scenarios/models"},
    {"scenario.overlap.tp_comm_overlap_table", "hardware/tp_overlap"},
    {"scenario.job.failures", "hardware/failures"},
    {"scenario.job.checkpoint.storage", "hardware/storage"},
    {"scenario.job.checkpoint.non_persistent_storage", "hardware/storage"},
    {"jobs.cluster.name", "hardware/clusters"},
    {"node.gpu", "hardware/gpus"},
    {"cluster.node", "hardware/nodes"},
    {"cluster.fabric", "hardware/fabrics"},
    {"cluster.graph.hosts[].node", "hardware/nodes"},
    {"machine.node", "hardware/nodes"},
});

Files files_of(const DataFolder& data) {
  Files files;
  for (const auto& [key, folder] : kFileKeys)
    files.push_back({std::string(key), std::string(folder), data.names(folder)});
  return files;
}

Json head(std::string_view kind, std::string_view title) {
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"$id", fmt::format("urn:simtrain:{}", kind)},
          {"title", title}};
}

/// Keys must be there unless `other` is: what it names holds them.
void require_unless(Json& schema, std::string_view other, Json required) {
  schema["if"] = {{"required", {other}}};
  schema["then"] = true;
  schema["else"] = std::move(required);
}

/// A file of a folder, which may be based on another of it.
template <class T>
Json file_schema(const DataFolder& data, std::string_view kind, std::string_view title,
                 std::string_view folder) {
  Json schema = head(kind, title);
  schema.update(FieldSchema::of<T>(std::string(kind), files_of(data)));
  schema["properties"]["based_on"] = {{"enum", data.names(folder)},
                                      {"description", meaning_of("based_on")}};
  require_unless(schema, "based_on", RequiredFields::of<T>());
  return schema;
}

Json described(Json schema, std::string_view meaning) {
  schema["description"] = meaning;
  return schema;
}

/// What a scenario file may hold beside its fields.
void add_scenario_blocks(Json& schema) {
  Json& properties = schema["properties"];
  const Json texts = described({{"type", "array"}, {"items", {{"type", "string"}}}},
                               "`row`, the name of a row, and dotted keys");
  const Json lists = described({{"type", "array"}, {"items", {{"type", "array"}}}},
                               "of values, one for each column");
  properties["model_overrides"] =
      described({{"$ref", "#/$defs/model"}}, "keys of the model file that it replaces");
  properties["hardware"] = described({{"type", "object"}},
                                     "values of the GPU, node, fabric and software files that it "
                                     "replaces (simtrain help hardware)");
  properties["table"] = described({{"type", "object"},
                                   {"additionalProperties", false},
                                   {"required", {"columns", "rows"}},
                                   {"properties", {{"columns", texts}, {"rows", lists}}}},
                                  "one scenario a row: `row` and dotted keys, and their values");
  properties["sweep"] = described(
      {{"type", "object"},
       {"additionalProperties", {{"type", {"string", "number", "boolean", "array"}}}}},
      "what simtrain sweep varies: keys with a value, a list or a range FIRST:LAST[:STEP]");
}

Json scenario_schema(const DataFolder& data) {
  const Files files = files_of(data);
  Json schema = head("scenario", "A scenario of simtrain");
  schema.update(FieldSchema::of<ScenarioFile>("scenario", files));
  add_scenario_blocks(schema);
  schema["properties"]["job"] = described(FieldSchema::of<JobSpec>("scenario.job", files),
                                          "the training job of simtrain goodput");
  require_unless(schema, "table", RequiredFields::of<ScenarioFile>());
  schema["$defs"]["model"] = FieldSchema::of<ModelSpec>("model", files);
  return schema;
}

/// A file of jobs, `simtrain share`.
Json jobs_schema(const DataFolder& data) {
  Json schema = head("jobs", "Jobs of simtrain on one cluster");
  schema.update(FieldSchema::of<FabricFile>("jobs", files_of(data)));
  schema.update(RequiredFields::of<FabricFile>(), true);
  schema["properties"]["jobs"]["minItems"] = 1;
  return schema;
}

/// A document that the program prints.
Json document_schema(std::string_view kind, std::string_view title, const Json& members) {
  Json schema = head(kind, title);
  schema.update(members);
  return schema;
}

struct SchemaKind {
  std::string name;
  std::function<Json(const DataFolder&)> schema;
};

template <class Spec>
SchemaKind files_kind(const std::string& name, const std::string& title,
                      const std::string& folder) {
  return {name,
          [=](const DataFolder& data) { return file_schema<Spec>(data, name, title, folder); }};
}

/// What a command prints as JSON.
SchemaKind document_kind(const std::string& name, const std::string& command, Json (*members)()) {
  return {name, [=](const DataFolder& /*data*/) {
            return document_schema(name, command + " --format json", members());
          }};
}

const std::vector<SchemaKind>& schema_kinds() {
  static const std::vector<SchemaKind> rows{
      {"scenario", scenario_schema},
      {"jobs", jobs_schema},
      files_kind<ModelSpec>("model", "A model of simtrain", "scenarios/models"),
      files_kind<GpuSpec>("gpu", "A GPU of simtrain", "hardware/gpus"),
      files_kind<NodeSpec>("node", "A node of simtrain", "hardware/nodes"),
      files_kind<FabricSpec>("fabric", "A fabric of simtrain", "hardware/fabrics"),
      files_kind<ClusterFile>("cluster", "A cluster of simtrain", "hardware/clusters"),
      files_kind<Machine>("machine", "A machine of simtrain", "hardware/machines"),
      files_kind<SoftwareSpec>("software", "A software stack of simtrain", "hardware/software"),
      files_kind<TpOverlapTable>("tp-overlap", "A user-buffer table of simtrain",
                                 "hardware/tp_overlap"),
      document_kind("result", "simtrain run", result_schema),
      document_kind("nccl", "simtrain nccl", nccl_schema),
      document_kind("goodput", "simtrain goodput", goodput_schema),
      document_kind("job", "simtrain run --job", job_schema),
      document_kind("share", "simtrain share", share_schema),
  };
  return rows;
}

}  // namespace

const std::vector<std::string>& schema_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const SchemaKind& row : schema_kinds()) all.push_back(row.name);
    return all;
  }();
  return names;
}

std::string json_schema(const DataFolder& data, const std::string& kind) {
  for (const SchemaKind& row : schema_kinds()) {
    if (row.name == kind) return json_text(row.schema(data));
  }
  throw InputError({}, "schema",
                   fmt::format("'{}' has no schema; {}", kind, suggestion(kind, schema_names())));
}

}  // namespace simtrain
