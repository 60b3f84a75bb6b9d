#include "sim/study/what_if/explain_changes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

/// How far a step up of a whole number is looked for: up to this many times its value.
constexpr int kFarthest = 4;

Alternative set(std::string_view key, const std::string& value) {
  return {value, {fmt::format("{}={}", key, value)}};
}

/// The next values above and below, nearest first. What divides what decides which is legal.
void add_number(std::vector<Change>& changes, const std::string& name, std::string_view key,
                int value) {
  Change up{ChangeKind::knob, name, std::to_string(value), {}, {}};
  Change down = up;
  for (int next = value + 1; next <= kFarthest * value; ++next)
    up.ladder.push_back(set(key, std::to_string(next)));
  for (int next = value - 1; next >= 1; --next)
    down.ladder.push_back(set(key, std::to_string(next)));
  for (Change& change : std::array{std::move(up), std::move(down)}) {
    if (!change.ladder.empty()) changes.push_back(std::move(change));
  }
}

void add_word(std::vector<Change>& changes, const std::string& name, const std::string& from,
              Alternative to) {
  changes.push_back({ChangeKind::knob, name, from, {std::move(to)}, {}});
}

std::string on_off(bool value) { return value ? "on" : "off"; }

void add_switch(std::vector<Change>& changes, const std::string& name, std::string_view key,
                bool value) {
  Alternative other = set(key, value ? "false" : "true");
  other.to = on_off(!value);
  add_word(changes, name, on_off(value), std::move(other));
}

void add_parallelism(std::vector<Change>& changes, const Recipe& recipe) {
  add_number(changes, "TP", "tp", recipe.tp());
  add_number(changes, "PP", "pp", recipe.pp());
  add_number(changes, "VP", "vp", recipe.vp());
  add_number(changes, "CP", "cp", recipe.cp());
  add_number(changes, "micro-batch", "mbs", recipe.training.micro_batch_size);
}

void add_overlap(std::vector<Change>& changes, const Recipe& recipe) {
  const OverlapSpec& overlap = recipe.overlap;
  Alternative tensor = set("overlap.tp_comm_overlap", overlap.tp_comm_overlap ? "false" : "true");
  tensor.to = on_off(!overlap.tp_comm_overlap);
  const bool fits = recipe.tp_overlap && overlaps_by(recipe.software, *recipe.tp_overlap);
  if (!overlap.tp_comm_overlap && !fits)
    tensor.settings.push_back(
        fmt::format("overlap.tp_comm_overlap_table={}", usual_overlap_table(recipe.software)));
  add_word(changes, "TP overlap", on_off(overlap.tp_comm_overlap), std::move(tensor));
  if (schedule_of(pipeline_shape(recipe, 1)).messages_overlap)
    add_switch(changes, "PP overlap", "overlap.overlap_p2p_comm", overlap.overlap_p2p_comm);
  add_switch(changes, "gradient overlap", "overlap.overlap_grad_reduce",
             overlap.overlap_grad_reduce);
  add_switch(changes, "parameter overlap", "overlap.overlap_param_gather",
             overlap.overlap_param_gather);
  add_switch(changes, "deferred embedding wgrad", "overlap.defer_embedding_wgrad_compute",
             overlap.defer_embedding_wgrad_compute);
}

/// What brings tokens to their experts, beside what it runs, and how evenly they come.
void add_experts(std::vector<Change>& changes, const Recipe& recipe) {
  if (!recipe.model.has_experts()) return;
  const MoeSpec& moe = recipe.moe;
  add_number(changes, "EP", "ep", recipe.ep());
  const bool flex = moe.moe_token_dispatcher_type == TokenDispatcher::flex;
  const std::string now(flex ? name_of(moe.moe_flex_dispatcher_backend)
                             : name_of(moe.moe_token_dispatcher_type));
  const auto add_dispatcher = [&](const std::string& name, std::vector<std::string> settings) {
    if (name != now) add_word(changes, "dispatcher", now, {name, std::move(settings)});
  };
  const std::string type = "moe.moe_token_dispatcher_type=";
  for (const auto& [name, dispatcher] : EnumNames<TokenDispatcher>::rows) {
    if (dispatcher != TokenDispatcher::flex)
      add_dispatcher(std::string(name), {type + std::string(name)});
  }
  for (const auto& [name, library] : EnumNames<ExchangeLibrary>::rows)
    add_dispatcher(std::string(name),
                   {type + "flex", fmt::format("moe.moe_flex_dispatcher_backend={}", name)});
  add_switch(changes, "exchange overlap", "overlap.overlap_moe_expert_parallel_comm",
             recipe.overlap.overlap_moe_expert_parallel_comm);
  if (recipe.model.experts->moe_shared_expert_intermediate_size > 0)
    add_switch(changes, "shared expert overlap", "moe.moe_shared_expert_overlap",
               moe.moe_shared_expert_overlap);
  if (moe.routing) {
    add_word(changes, "routing", "as stated", {"balanced", {"moe.routing={law: balanced}"}});
  } else {
    add_word(changes, "routing",
             moe.moe_load_imbalance ? fmt::format("{:g}", *moe.moe_load_imbalance) : "random",
             {"balanced", {"moe.moe_load_imbalance=1"}});
  }
}

/// FP8 parameters and layers kept in BF16 are for precisions that quantize.
void add_precisions(std::vector<Change>& changes, const TrainingSpec& training) {
  const Precision now = training.precision;
  for (const PrecisionRow& row : precision_rows()) {
    const bool wider = row.activation.bytes() > row_of(now).activation.bytes();
    if (row.precision == now || wider) continue;
    const std::string name(name_of(row.precision));
    Alternative other = set("precision", name);
    if (row_of(now).quantized() && !row.quantized()) {
      other.settings.emplace_back("training.fp8_params=false");
      if (training.num_layers_at_start_in_bf16 > 0)
        other.settings.emplace_back("training.num_layers_at_start_in_bf16=0");
      if (training.num_layers_at_end_in_bf16 > 0)
        other.settings.emplace_back("training.num_layers_at_end_in_bf16=0");
    }
    add_word(changes, "precision", std::string(name_of(now)), std::move(other));
  }
}

void add_words(std::vector<Change>& changes, const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  add_precisions(changes, recipe.training);
  for (const auto& [name, value] : EnumNames<Recompute>::rows) {
    if (value != recipe.recompute && is_of_megatron(value))
      add_word(changes, "recompute", std::string(name_of(recipe.recompute)),
               set("recompute", std::string(name)));
  }
  const DataType reduced = recipe.optimizer.grad_reduce_dtype;
  add_word(changes, "gradients reduced in", std::string(name_of(reduced)),
           set("optimizer.grad_reduce_dtype", reduced == DataType::bf16 ? "fp32" : "bf16"));
  add_switch(changes, "sequence parallel", "parallelism.sequence_parallel",
             recipe.parallelism.sequence_parallel);
  add_switch(changes, "CUDA graphs", "cuda_graphs", recipe.cuda_graphs);
  if (recipe.cuda_launch_blocking)
    add_switch(changes, "launches that block", "cuda_launch_blocking", true);
  const CommunicationLibrary& library = recipe.software.library;
  for (const LibrarySwitch& one : library.row->switches(library.settings))
    add_switch(changes, std::string(one.name), one.key, one.on);
  const PlacementKind kind = scenario.placement.spec.kind;
  add_word(changes, "placement", std::string(name_of(kind)),
           kind == PlacementKind::compact
               ? Alternative{"random", {"cluster.placement={kind: random, seed: 1}"}}
               : set("cluster.placement", "compact"));
}

/// Numbers of one hardware file.
class File {
 public:
  File(const DataFolder& data, const std::string& family, const std::string& name)
      : path_(fmt::format("{}/{}.yaml", family, name)),
        tree_(data.load_tree("hardware/" + family, name, {path_}, family)) {}

  [[nodiscard]] NumberOverride to(const std::string& key, double value) const {
    return {path_, key, value, {path_}};
  }
  [[nodiscard]] NumberOverride times(const std::string& key, double factor) {
    return to(key, number(key) * factor);
  }
  [[nodiscard]] double number(const std::string& key) {
    return written_number(find_number(tree_, key, {path_}), key).value;
  }

 private:
  std::string path_;
  YamlNode tree_;
};

Change cost(std::string name, std::vector<NumberOverride> numbers) {
  return {ChangeKind::cost_removed, std::move(name), "", {Alternative{}}, std::move(numbers)};
}

std::vector<NumberOverride> no_latency(const File& fabric) {
  std::vector<NumberOverride> numbers;
  for (const char* key : {"switch_latency", "cable_latency", "ll_hop", "ll128_hop", "simple_hop",
                          "tree_hop", "collective_start", "send_receive_latency",
                          "chunk_turnaround", "all_to_all_peer", "all_to_all_turnaround"})
    numbers.push_back(fabric.to(key, 0));
  return numbers;
}

/// Kernels draw nothing beyond what is there, so that the clock is the full one.
std::vector<NumberOverride> full_clock(File& gpu, const GpuSpec& spec) {
  std::vector<NumberOverride> numbers{gpu.to("power.available", 1), gpu.to("power.attention", 0),
                                      gpu.to("power.streaming", 0)};
  for (const GemmRate& rate : spec.gemm.rates) {
    const std::string row = fmt::format("gemm.rates[data_type={}].", name_of(rate.data_type));
    numbers.push_back(gpu.to(row + "sustained", gpu.number(row + "burst")));
  }
  return numbers;
}

}  // namespace

std::vector<Change> knob_changes(const Scenario& scenario) {
  std::vector<Change> changes;
  add_parallelism(changes, scenario.recipe);
  add_overlap(changes, scenario.recipe);
  add_experts(changes, scenario.recipe);
  add_words(changes, scenario);
  return changes;
}

std::vector<Change> cost_changes(const DataFolder& data, const Scenario& scenario) {
  constexpr double kIdeal = 100;
  const ClusterSpec& cluster = scenario.cluster;
  File gpu(data, "gpus", cluster.gpu.name);
  File node(data, "nodes", cluster.node.name);
  File fabric(data, "fabrics", cluster.fabric.name);
  std::vector<Change> changes;
  changes.push_back(cost("no stragglers: all GPUs at one clock", {gpu.to("power.fluctuation", 0)}));
  changes.push_back(cost("no overlap slowdown of kernels", {gpu.to("gemm.overlap_slowdown", 0)}));
  changes.push_back(cost("no power limit: the full clock", full_clock(gpu, cluster.gpu)));
  changes.push_back(cost("twice the memory bandwidth", {gpu.times("memory_bandwidth", 2)}));
  changes.push_back(cost("network without latency", no_latency(fabric)));
  if (cluster.graph) return changes;  // its links have their own bandwidth
  std::vector<NumberOverride> ideal = no_latency(fabric);
  ideal.push_back(fabric.times("channel_bandwidth", kIdeal));
  ideal.push_back(node.times("nic_bandwidth", kIdeal));
  changes.push_back(cost("ideal network: no latency, 100 times the bandwidth", std::move(ideal)));
  return changes;
}

}  // namespace simtrain
