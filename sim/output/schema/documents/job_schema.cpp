#include <array>

#include "sim/output/schema/documents/document_members.h"
#include "sim/output/schema/documents/member_schema.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kGoodputMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.goodput/1"},
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
    {"power.step_w", "number", "watts of the cluster, site with it, in the mean of a step"},
    {"power.step_least_w", "number", "at the quietest time of a step: exposed communication"},
    {"power.step_most_w", "number", "at the busiest time of a step: kernels everywhere"},
    {"power.waiting_w", "number", "while no step runs: saves, failures, restarts"},
    {"power.part_s", "number", "seconds of each hundredth of the first run"},
    {"power.mean_w", "numbers", "watts by hundredth"},
    {"power.least_w", "numbers", "at any time of it"},
    {"power.most_w", "numbers", "at any time of it"},
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
    {"schema", "id", "simtrain.job/1"},
    {"step", "result", "simtrain.result/1; its training_run is the job if nothing failed"},
    {"job", "object", "simtrain.goodput/1"},
    {"advice.runs", "integer", "of each changed job"},
    {"advice.refused", "integer", "changes of the step that make no legal job"},
    {"advice.changes[].kind", "string", "setting: of a scenario's keys; or condition"},
    {"advice.changes[].change", "string", "what is changed"},
    {"advice.changes[].settings", "texts", "KEY=VALUE of --set; none of a condition"},
    {"advice.changes[].step_time_s", "number", "seconds of the changed job's step"},
    {"advice.changes[].goodput", "number", "mean"},
    {"advice.changes[].elapsed_s", "number", "seconds for as many steps as the job has, mean"},
    {"advice.changes[].saved_s", "number", "seconds less than the job takes"},
    {"advice.changes[].saved_gpu_hours", "number", "GPU hours less, spares with them"},
    {"advice.changes[].saved_usd?", "number", "dollars less, where the scenario has prices"},
});

constexpr auto kShareMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.share/1"},
    {"name", "string", "title of the file of jobs"},
    {"cluster", "string", "file of hardware/clusters"},
    {"nodes", "integer", "of the cluster"},
    {"gpus", "integer", "of the cluster"},
    {"links_never_bind", "boolean", "between switches, whoever uses them"},
    {"warm_up_steps", "integer", "of each job before those that count"},
    {"counted_steps", "integer", "of each job, at least"},
    {"jobs[].name", "string", "as the file calls it"},
    {"jobs[].scenario", "string", "title"},
    {"jobs[].gpus", "integer", "of the job"},
    {"jobs[].placement", "string", "kind, with its seed"},
    {"jobs[].hosts", "integers", "numbers, in the order of its ranks"},
    {"jobs[].start_s", "number", "seconds at which its first step begins"},
    {"jobs[].alone_s", "number", "seconds of its step with the cluster to itself"},
    {"jobs[].together_s", "number", "seconds of its step beside the others, mean"},
    {"jobs[].least_s", "number", "seconds of the shortest of these"},
    {"jobs[].most_s", "number", "seconds of the longest of these"},
    {"jobs[].steps", "integer", "that these are of; 0: it meets no other job"},
    {"jobs[].lost_gpus", "number", "GPUs times the share of its time that it loses to the others"},
    {"jobs[].without[].job", "string", "another job"},
    {"jobs[].without[].step_time_s", "number", "seconds of its step if that one were not there"},
    {"meeting", "lists", "lists of jobs that may slow one another, by name"},
    {"links[].from", "string", "device: the first of links that are alike"},
    {"links[].to", "string", "device"},
    {"links[].alike", "integer", "how many there are"},
    {"links[].bytes_per_s", "number", "that it has"},
    {"links[].used[].job", "string", "that moves data over it"},
    {"links[].used[].share", "number", "of the link, mean"},
    {"links[].held_up[].job", "string", "whose transfers are held up there"},
    {"links[].held_up[].by", "string", "the job that shares the link, or itself"},
    {"links[].held_up[].seconds", "number", "a step of the job, summed over its transfers there"},
    {"placements?[].placement", "string",
     "of the last job; that which costs the others least first"},
    {"placements?[].hosts", "integers", "numbers, in the order of its ranks"},
    {"placements?[].step_time_s", "number", "seconds of its step beside the others"},
    {"placements?[].alone_s", "number", "seconds of its step without them"},
    {"placements?[].lost_gpus", "number", "that it loses to the others"},
    {"placements?[].others_lost_gpus", "number", "that the others lose to it"},
    {"placements?[].jobs[].job", "string", "each job"},
    {"placements?[].jobs[].before_s", "number",
     "seconds of its step without the last; of that, alone"},
    {"placements?[].jobs[].step_time_s", "number", "seconds of its step with it"},
    {"engine.ranks", "integer", "of all jobs"},
    {"engine.ranks_simulated", "integer", "together; 0: no job can meet another"},
    {"engine.wall_s", "number", "seconds that it took"},
});

}  // namespace

Json share_schema() { return schema_of({{kShareMembers}}); }

Json goodput_schema() { return schema_of({{kGoodputMembers}}); }

Json job_schema() {
  Json schema = schema_of({{kJobMembers}});
  schema["properties"]["job"].update(goodput_schema());
  return schema;
}

}  // namespace simtrain
