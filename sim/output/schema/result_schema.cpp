#include "sim/output/schema/result_schema.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "sim/run/energy/step_energy.h"
#include "sim/workload/parallel/share.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// A member by its way, `[]` for each item of a list; `?` behind a name: it may be missing; behind
/// a type: it may be null.
struct Member {
  std::string_view way;
  std::string_view type;
  std::string_view meaning;
};

constexpr auto kResultMembers = std::to_array<Member>({
    {"schema", "string", "simtrain.result/1"},
    {"scenario", "string", "title"},
    {"source", "string", "where the scenario comes from"},
    {"changed_from?.file", "string", "the scenario's file, where keys were changed"},
    {"changed_from?.scenario", "string", "its title"},
    {"changed_from?.source", "string", "its source"},
    {"changed_from?.keys", "array", "the changed keys"},
    {"changed_from?.gpus?", "string", "what became of the number of GPUs"},
    {"hardware_changes?", "array", "values of hardware files that were changed"},
    {"cluster", "string", "with its nodes and GPUs"},
    {"model", "string", "name"},
    {"software", "string", "name of the stack"},
    {"gpus", "integer", "of the job"},
    {"data_parallel_size", "integer", "replicas"},
    {"micro_batches", "integer", "of a replica in a step"},
    {"seq_length", "integer", "tokens of a sample"},
    {"tokens_per_step", "integer", "tokens of a step"},
    {"parameters.total", "integer", "weights of the model"},
    {"parameters.fullest_gpu", "integer", "weights of a GPU of the stage that holds most"},
    {"parameters.fullest_stage", "integer", "that stage, from 0"},
    {"parameters.mean_gpu", "number", "weights of a GPU, mean"},
    {"parameters.trained?", "integer", "where it is not all weights: LoRA adapters"},
    {"step_time_s.mean", "number", "seconds of a step, mean of those drawn"},
    {"step_time_s.std", "number", "seconds, from step to step"},
    {"step_time_s.min", "number", "seconds, of the fastest"},
    {"step_time_s.max", "number", "seconds, of the slowest"},
    {"step_time_s.low", "number", "seconds: 9 of 10 measured means lie above"},
    {"step_time_s.high", "number", "seconds: and below"},
    {"step_time_s.relative_standard_error", "number", "of the prediction, as a share"},
    {"step_time_s.slower_standard_error", "number", "on the slow side alone, as a share"},
    {"step_time_s.error_causes[].cause", "string", "what the interval follows from"},
    {"step_time_s.error_causes[].relative_error", "number", "as a share"},
    {"step_time_s.error_causes[].slower_only", "boolean", "on the slow side alone"},
    {"step_time_s.expected", "number", "seconds of the mean step"},
    {"step_time_s.expected_std", "number", "seconds, as GPU clocks make it"},
    {"steps_s?", "array", "seconds of each step that was drawn"},
    {"seed?", "integer", "of the draw"},
    {"tokens_per_s", "number", "tokens per second, of the job"},
    {"tflops_per_gpu", "number", "TFLOP/s of model FLOPs"},
    {"mfu", "number", "model FLOPs over the peak, from 0 to 1"},
    {"mfu_convention", "string", "how model FLOPs are counted"},
    {"days_per_1t_tokens", "number", "days of training for 1e12 tokens"},
    {"training_run.tokens", "number", "of the training run"},
    {"training_run.days", "number", "that it takes"},
    {"training_run.gpu_hours", "number", "that it takes"},
    {"training_run.usd_per_gpu_hour?", "number", "price, in dollars"},
    {"training_run.cost_usd?", "number", "cost, in dollars"},
    {"model_flops_per_sample", "number", "FLOPs of a sample, forward and backward"},
    {"peak_tflops_per_gpu", "number", "dense peak in TFLOP/s, the denominator of MFU"},
    {"sm_clock", "number", "share of the full clock at the power limit"},
    {"breakdown_s", "breakdown", "seconds of the critical path by share; they sum to the step"},
    {"energy.mean_power_w.gpu", "number", "watts of a GPU, mean of the step"},
    {"energy.mean_power_w.gpu_limit", "number", "watts that it may draw"},
    {"energy.mean_power_w.node", "number", "watts at the socket"},
    {"energy.mean_power_w.cluster", "number", "watts of the job, network and site with it"},
    {"energy.joules_per_step", "number", "joules of the job"},
    {"energy.joules_per_token", "number", "joules of the job"},
    {"energy.mwh_per_1t_tokens", "number", "MWh for 1e12 tokens"},
    {"energy.pue", "number", "what the site takes over what its computers take"},
    {"energy.by_part_joules", "parts", "joules of a step by what draws them"},
    {"energy.gpus_by_kernel_joules", "draws", "joules of all GPUs by what they are drawn for"},
    {"energy.gpu_power_trace.interval_s", "number", "seconds of each part of the step"},
    {"energy.gpu_power_trace.least_w", "number", "watts of a GPU, mean of all"},
    {"energy.gpu_power_trace.most_w", "number", "watts of a GPU, mean of all"},
    {"energy.gpu_power_trace.swing_of_all_gpus_w", "number", "watts from least to most"},
    {"energy.gpu_power_trace.mean_w", "array", "watts of a GPU in each part, mean of all"},
    {"energy.by_rule", "array", "facts that no file gives, with the rule that they follow"},
    {"energy.cost?.per_step", "object", "dollars and kg of CO2, where the scenario has prices"},
    {"energy.cost?.per_1t_tokens", "object", "the same for 1e12 tokens"},
    {"memory.peak_bytes", "number", "the largest allocated_bytes of a stage"},
    {"memory.capacity_bytes", "number", "of a GPU"},
    {"memory.fits", "boolean", "every stage has room"},
    {"memory.tight", "boolean", "it fits, but not with the usual fragmentation"},
    {"memory.margin_bytes?", "number", "what the fullest stage leaves"},
    {"memory.per_stage[].weights_bytes", "number", "with their FP8 copies"},
    {"memory.per_stage[].fp8_copies_bytes", "number", "part of the weights"},
    {"memory.per_stage[].gradients_bytes", "number", "gradients"},
    {"memory.per_stage[].optimizer_bytes", "number", "optimizer state"},
    {"memory.per_stage[].gemm_workspaces_bytes", "number", "workspaces of GEMM libraries"},
    {"memory.per_stage[].activations_bytes", "number", "of all micro-batches in flight"},
    {"memory.per_stage[].loss_bytes", "number", "logits and what the loss keeps"},
    {"memory.per_stage[].temporary_bytes", "number", "in the course of a step"},
    {"memory.per_stage[].allocated_bytes", "number", "in the framework's allocator"},
    {"memory.per_stage[].allocated_between_steps_bytes", "number", "of it, all through a run"},
    {"memory.per_stage[].cuda_context_bytes", "number", "of the process"},
    {"memory.per_stage[].communicators_bytes", "number", "buffers of NCCL"},
    {"memory.per_stage[].user_buffers_bytes", "number", "of tensor-parallel overlap"},
    {"memory.per_stage[].outside_allocator_bytes", "number", "sum of these three"},
    {"memory.per_stage[].total_bytes", "number", "sum of all"},
    {"memory.per_stage[].fragmentation_bytes", "number", "likely on top"},
    {"communication[].group", "string", "tp, cp, pp, dp, ..."},
    {"communication[].collective", "string", "all_gather, reduce_scatter, ..."},
    {"communication[].algorithm", "string", "that NCCL chooses"},
    {"communication[].protocol", "string", "that NCCL chooses"},
    {"communication[].bytes", "integer", "of one call, as nccl-tests counts"},
    {"communication[].count", "integer", "calls of a step"},
    {"communication[].total_s", "number", "seconds in a step"},
    {"communication[].exposed_s", "number", "seconds of it on the critical path"},
    {"kernels?[].module", "string", "of --kernels: in the words of Megatron"},
    {"kernels?[].kernel", "string", "as a profiler names it"},
    {"kernels?[].shape", "object", "m, n, k of a GEMM, ...; empty for the step's end"},
    {"kernels?[].share", "string", "of breakdown_s"},
    {"kernels?[].bound_by", "string", "compute, memory or launch"},
    {"kernels?[].each_s", "number", "seconds of a call, alone on its GPU"},
    {"kernels?[].flops", "number", "FLOPs of a call"},
    {"kernels?[].tflops", "number?", "TFLOP/s of a call"},
    {"kernels?[].bytes_per_s", "number?", "bytes per second of a memory-bound kernel"},
    {"kernels?[].share_of_peak", "number?", "of FLOP/s or memory bandwidth"},
    {"kernels?[].count", "integer", "calls of the busiest rank in a step"},
    {"kernels?[].total_s", "number", "seconds of these"},
    {"kernels?[].path_s", "number", "seconds on the critical path, of any rank"},
    {"transfers?[].group", "string", "of --kernels: tp, cp, pp, dp, ..."},
    {"transfers?[].collective", "string", "all_gather, reduce_scatter, ..."},
    {"transfers?[].algorithm", "string", "that NCCL chooses"},
    {"transfers?[].protocol", "string", "that NCCL chooses"},
    {"transfers?[].bytes", "integer", "of one call, as nccl-tests counts"},
    {"transfers?[].share", "string", "of breakdown_s"},
    {"transfers?[].bound_by", "string",
     "latency, channels, nvlink, nic, shared_nvlink, shared_nic"},
    {"transfers?[].bus_bandwidth_bytes_per_s", "number", "busbw of the mean call"},
    {"transfers?[].count", "integer", "calls of the busiest rank in a step"},
    {"transfers?[].total_s", "number", "seconds of these, hidden or not"},
    {"transfers?[].path_s", "number", "seconds on the critical path, of any rank"},
    {"faults", "array", "of devices, as sentences"},
    {"placement.kind", "string", "how the job lies in the cluster"},
    {"placement.rank_order", "string", "how ranks fill hosts"},
    {"placement.nodes", "integer", "of the job"},
    {"placement.available_nodes", "integer", "that it could have had"},
    {"placement.hops[].group", "string", "tp, cp, dp or pp"},
    {"placement.hops[].nvlink", "integer", "neighbours in one NVLink domain"},
    {"placement.hops[].unit", "integer", "neighbours below one leaf"},
    {"placement.hops[].block", "integer", "neighbours below one spine"},
    {"placement.hops[].fabric", "integer", "neighbours over all levels"},
    {"placement.busiest_link?.name", "string", "from switch to switch"},
    {"placement.busiest_link?.load", "number", "share of the step in which it is full"},
    {"engine.events", "integer", "simulated"},
    {"engine.wall_s", "number", "seconds that the simulation took"},
    {"engine.ranks", "integer", "of the job"},
    {"engine.ranks_simulated", "integer", "each represents ranks that do the same"},
    {"engine.fingerprint", "string", "of all spans of time"},
    {"recipe", "object", "the scenario as it was simulated, defaults filled in"},
    {"explain?", "object", "of --explain: critical path, changes"},
});

constexpr auto kNcclMembers = std::to_array<Member>({
    {"schema", "string", "simtrain.nccl/1"},
    {"cluster", "string", "name"},
    {"collective", "string", "all_reduce, all_gather, ..."},
    {"gpus", "integer", "ranks"},
    {"nodes", "integer", "over which they are spread"},
    {"nccl_version", "string", "release"},
    {"nvls", "boolean", "NCCL_NVLS_ENABLE"},
    {"mean_bus_bandwidth_bytes_per_s", "number", "over all sizes"},
    {"sizes[].bytes", "integer", "as nccl-tests counts them"},
    {"sizes[].count", "integer", "elements of 4 bytes"},
    {"sizes[].time_s", "number", "seconds of a call"},
    {"sizes[].algorithm_bandwidth_bytes_per_s", "number", "size over time (algbw)"},
    {"sizes[].bus_bandwidth_bytes_per_s", "number", "busbw"},
    {"sizes[].algorithm", "string", "that NCCL chooses"},
    {"sizes[].protocol", "string", "that NCCL chooses"},
    {"sizes[].channels", "integer", "that it takes"},
});

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

Json leaf_schema(const Member& member) {
  Json schema;
  if (member.type == "breakdown") {
    schema = numbers_by<Share>();
  } else if (member.type == "parts") {
    schema = numbers_by<PowerPart>();
  } else if (member.type == "draws") {
    schema = numbers_by<DrawKind>();
  } else if (member.type.ends_with('?')) {
    schema["type"] = {member.type.substr(0, member.type.size() - 1), "null"};
  } else {
    schema["type"] = member.type;
  }
  schema["description"] = member.meaning;
  return schema;
}

void add_member(Json& object, std::string_view way, const Member& member) {
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

Json schema_of(std::span<const Member> members) {
  Json schema = object_schema();
  for (const Member& member : members) add_member(schema, member.way, member);
  return schema;
}

}  // namespace

Json result_schema() { return schema_of(kResultMembers); }

Json nccl_schema() { return schema_of(kNcclMembers); }

}  // namespace simtrain
