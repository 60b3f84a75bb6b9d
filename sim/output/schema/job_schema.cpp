#include <array>

#include "sim/output/schema/member_schema.h"
#include "sim/output/schema/result_schema.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kGoodputMembers = std::to_array<SchemaMember>({
    {"schema", "string", "simtrain.goodput/1"},
    {"scenario", "string", "title"},
    {"gpus", "integer", "of the job, without spares"},
    {"nodes", "integer", "of the job, without spares"},
    {"spare_nodes", "integer", "that wait to take the place of failed ones"},
    {"step_time_s", "number", "seconds of the step of the whole job"},
    {"tokens_per_step", "number", "tokens of a step"},
    {"seed", "integer", "of the random numbers"},
    {"summary.runs", "integer", "simulated runs of the job"},
    {"summary.finished", "integer", "of them, the others were given up"},
    {"summary.elapsed_s", "spread", "seconds of the whole job"},
    {"summary.steps", "spread", "that stay"},
    {"summary.goodput", "spread", "share of time in steps that stay, at full speed"},
    {"summary.effective_time", "spread", "share of time that was not interrupted"},
    {"summary.interruptions", "spread", "failures that ended the job unannounced"},
    {"summary.restarts", "number", "of a run, mean"},
    {"summary.saves", "number", "checkpoints of a run, mean"},
    {"summary.gpu_hours", "number", "of the job's nodes, mean"},
    {"summary.spare_gpu_hours", "number", "of spares, mean"},
    {"bill.joules", "number", "joules of the job, spares and site with it"},
    {"bill.joules_waiting", "number", "of them while no step runs, and of spares"},
    {"bill.gpu_usd?", "number", "dollars of GPU hours"},
    {"bill.electricity_usd?", "number", "dollars of electricity"},
    {"bill.carbon_kg?", "number", "kg of CO2 equivalents"},
    {"used_s", "uses", "seconds of a run by what they go into; they sum to the whole"},
    {"checkpoint.storage", "string", "name of hardware/storage"},
    {"checkpoint.bytes", "number", "of a checkpoint"},
    {"checkpoint.writers", "integer", "processes that write it"},
    {"checkpoint.copy_s", "number", "seconds from GPUs to host memory"},
    {"checkpoint.write_s", "number", "seconds from there to the storage"},
    {"checkpoint.drain_s", "number", "seconds on to the storage that it drains to"},
    {"checkpoint.stall_s", "number", "seconds that training waits"},
    {"checkpoint.load_s", "number", "seconds"},
    {"checkpoint.host_bytes_per_node", "number", "memory while saving"},
    {"checkpoint.load_bytes_per_gpu", "number", "memory beside the state while loading"},
    {"checkpoint.save_interval", "number", "steps"},
    {"failures[].component", "string", "what fails"},
    {"failures[].effect", "string", "stops, slows, corrupts or planned"},
    {"failures[].per_day", "number", "of the whole job"},
    {"failures[].mean_of_a_run", "number", "that a run meets"},
    {"failures[].nodes", "number", "that each takes out"},
    {"failures[].slowdown", "number", "steps take so many times as long"},
    {"states[].state", "string", "in which the step was simulated"},
    {"states[].step_time_s", "number", "seconds of a step"},
    {"advice.runs", "integer", "of each changed job"},
    {"advice.young_steps?", "number", "interval between checkpoints by Young's formula"},
    {"advice.daly_steps?", "number", "by Daly's"},
    {"advice.intervals[].change", "string", "what is changed"},
    {"advice.intervals[].value", "number", "steps"},
    {"advice.intervals[].goodput", "number", "mean"},
    {"advice.intervals[].elapsed_s", "number", "seconds, mean"},
    {"advice.intervals[].gpu_hours", "number", "with spares, mean"},
    {"advice.best_interval?", "number", "steps, with most goodput"},
    {"advice.spares[].change", "string", "what is changed"},
    {"advice.spares[].value", "number", "nodes"},
    {"advice.spares[].goodput", "number", "mean"},
    {"advice.spares[].elapsed_s", "number", "seconds, mean"},
    {"advice.spares[].gpu_hours", "number", "with spares, mean"},
    {"advice.best_spares?", "number", "nodes, with least GPU hours for the work"},
    {"advice.changes[].change", "string", "what is changed"},
    {"advice.changes[].value", "number", "0"},
    {"advice.changes[].goodput", "number", "mean"},
    {"advice.changes[].elapsed_s", "number", "seconds, mean"},
    {"advice.changes[].gpu_hours", "number", "with spares, mean"},
});

constexpr auto kJobMembers = std::to_array<SchemaMember>({
    {"schema", "string", "simtrain.job/1"},
    {"step", "object", "simtrain.result/1; its training_run is the job if nothing failed"},
    {"job", "object", "simtrain.goodput/1"},
    {"advice.runs", "integer", "of each changed job"},
    {"advice.refused", "integer", "changes of the step that make no legal job"},
    {"advice.changes[].kind", "string", "setting: of a scenario's keys; or condition"},
    {"advice.changes[].change", "string", "what is changed"},
    {"advice.changes[].settings", "array", "KEY=VALUE of --set; none of a condition"},
    {"advice.changes[].step_time_s", "number", "seconds of the changed job's step"},
    {"advice.changes[].goodput", "number", "mean"},
    {"advice.changes[].elapsed_s", "number", "seconds for as many steps as the job has, mean"},
    {"advice.changes[].saved_s", "number", "seconds less than the job takes"},
    {"advice.changes[].saved_gpu_hours", "number", "GPU hours less, spares with them"},
    {"advice.changes[].saved_usd?", "number", "dollars less, where the scenario has prices"},
});

}  // namespace

Json goodput_schema() { return schema_of(kGoodputMembers); }

Json job_schema() {
  Json schema = schema_of(kJobMembers);
  schema["properties"]["step"].update(result_schema());
  schema["properties"]["job"].update(goodput_schema());
  return schema;
}

}  // namespace simtrain
