#include "sim/output/schema/files/file_schemas.h"

#include <utility>

#include <fmt/format.h>

#include "sim/job/specs/failure_fields.h"
#include "sim/job/specs/step_events_fields.h"
#include "sim/job/specs/storage_fields.h"
#include "sim/job/specs/tolerance_fields.h"
#include "sim/output/schema/files/scenario_schema.h"
#include "sim/output/schema/files/schema_of_fields.h"
#include "sim/run/scenario/machine_fields.h"
#include "sim/run/shared/fabric_fields.h"
#include "sim/run/uncertainty/uncertainty_fields.h"
#include "sim/study/fit/parameters/parameters_fields.h"
#include "sim/study/nccl/nccl_curves_fields.h"
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
    {"scenario.job.fault_tolerance", "hardware/fault_tolerance"},
    {"scenario.job.checkpoint.storage", "hardware/storage"},
    {"scenario.job.data.storage", "hardware/storage"},
    {"scenario.job.checkpoint.non_persistent_storage", "hardware/storage"},
    {"jobs.cluster.name", "hardware/clusters"},
    {"node.gpu", "hardware/gpus"},
    {"cluster.node", "hardware/nodes"},
    {"cluster.fabric", "hardware/fabrics"},
    {"cluster.graph.hosts[].node", "hardware/nodes"},
    {"machine.node", "hardware/nodes"},
    {"storage.drains_to", "hardware/storage"},
    {"uncertainty.machines[].gpu", "hardware/gpus"},
    {"uncertainty.kinds[].gpu", "hardware/gpus"},
    {"nccl-curves.curves[].cluster", "hardware/clusters"},
});

Files files_of(const DataFolder& data) {
  Files files;
  files.reserve(kFileKeys.size());
  for (const auto& [key, folder] : kFileKeys)
    files.push_back({std::string(key), std::string(folder), data.names(folder)});
  return files;
}

/// A file of a folder, which may be based on another of it.
template <class Spec>
FileSchema of_folder(const std::string& name, const std::string& title, const std::string& folder) {
  return {name, {folder + "/*.yaml"}, [=](const DataFolder& data) {
            Json schema = schema_head(name, title);
            schema.update(FieldSchema::of<Spec>(name, files_of(data)));
            schema["properties"]["based_on"] = {{"enum", data.names(folder)},
                                                {"description", meaning_of("based_on")}};
            require_unless(schema, "based_on", RequiredFields::of<Spec>());
            return schema;
          }};
}

/// Files that hold all of their keys themselves. `rows`: lists that must not be empty.
template <class Spec>
FileSchema of_files(const std::string& name, const std::string& title,
                    std::vector<std::string> files, const std::vector<std::string>& rows = {}) {
  return {name, std::move(files), [=](const DataFolder& data) {
            Json schema = schema_head(name, title);
            schema.update(FieldSchema::of<Spec>(name, files_of(data)));
            schema.update(RequiredFields::of<Spec>(), true);
            for (const std::string& list : rows) schema["properties"][list]["minItems"] = 1;
            return schema;
          }};
}

FileSchema of_scenarios() {
  return {"scenario",
          {"scenarios/*.yaml", "validation/energy/*.yaml", "validation/example_runs/*.yaml",
           "validation/jobs/*.yaml", "validation/measured/scenarios/*.yaml"},
          [](const DataFolder& data) {
            Json schema = schema_head("scenario", "A scenario of simtrain");
            schema.update(scenario_file_schema(files_of(data)));
            return schema;
          }};
}

}  // namespace

Json schema_head(std::string_view kind, std::string_view title) {
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"$id", fmt::format("urn:simtrain:{}", kind)},
          {"title", title}};
}

const std::vector<FileSchema>& file_schemas() {
  static const std::vector<FileSchema> rows{
      of_scenarios(),
      of_files<FabricFile>("jobs", "Jobs of simtrain on one cluster", {"scenarios/jobs/*.yaml"},
                           {"jobs"}),
      of_folder<ModelSpec>("model", "A model of simtrain", "scenarios/models"),
      of_folder<GpuSpec>("gpu", "A GPU of simtrain", "hardware/gpus"),
      of_folder<NodeSpec>("node", "A node of simtrain", "hardware/nodes"),
      of_folder<FabricSpec>("fabric", "A fabric of simtrain", "hardware/fabrics"),
      of_folder<ClusterFile>("cluster", "A cluster of simtrain", "hardware/clusters"),
      of_folder<Machine>("machine", "A machine of simtrain", "hardware/machines"),
      of_folder<SoftwareSpec>("software", "A software stack of simtrain", "hardware/software"),
      of_folder<TpOverlapTable>("tp-overlap", "A table of overlapped tensor parallelism",
                                "hardware/tp_overlap"),
      of_folder<StorageSpec>("storage", "A storage for checkpoints of simtrain",
                             "hardware/storage"),
      of_folder<FailureSpec>("failures", "How often what fails, for simtrain goodput",
                             "hardware/failures"),
      of_folder<ToleranceSpec>("fault-tolerance", "How replicas leave a job and come back",
                               "hardware/fault_tolerance"),
      of_files<PowerRules>("power", "What hardware draws whose file does not say it",
                           {"hardware/power.yaml"}),
      of_files<StepEvents>("steps", "What steps of a run take beside the simulated step",
                           {"hardware/steps.yaml"}, {"first_step"}),
      of_files<UncertaintySpec>("uncertainty", "How well step times are known",
                                {"hardware/uncertainty.yaml"}, {"machines"}),
      of_files<DocumentedFile>(
          "documented-runs", "What documents print about runs",
          {"validation/documented.yaml", "validation/memory.yaml", "validation/measured/*.yaml"},
          {"documents"}),
      of_files<CalibrationSpec>("calibration-parameters", "What simtrain calibrate fits",
                                {"validation/calibration.yaml"}, {"parameters"}),
      of_files<CurveFile>("nccl-curves", "Measured times of NCCL calls", {"validation/nccl/*.yaml"},
                          {"curves"}),
  };
  return rows;
}

}  // namespace simtrain
