#include <algorithm>

#include <fmt/format.h>

#include "sim/collectives/library.h"
#include "sim/core/input/text_parts.h"
#include "sim/run/scenario/checks/checks.h"
#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

constexpr double kMostRows = 1e10;

/// Rows that the busiest rank of a recipe may have, by what it says of them.
void check_rows(const Recipe& recipe, const YamlNode& tree) {
  const MoeSpec& moe = recipe.moe;
  const double by_token = recipe.model.experts->moe_router_topk *
                          moe.moe_expert_capacity_factor.value_or(1) *
                          moe.moe_load_imbalance.value_or(1);
  const double rows = static_cast<double>(recipe.tokens()) *
                      std::max(by_token, static_cast<double>(recipe.ep())) * recipe.etp();
  require(rows <= kMostRows, tree, "parallelism.expert_model_parallel_size",
          "makes {:.3g} rows of one rank's experts; up to {:.0g} are modelled", rows, kMostRows);
}

/// One law or one histogram, of all experts.
void check_routing(const Recipe& recipe, const YamlNode& tree) {
  if (!recipe.moe.routing) return;
  const RoutingSpec& routing = *recipe.moe.routing;
  const std::string key = "moe.routing";
  require(!recipe.moe.moe_load_imbalance, tree, key,
          "says the loads of experts, and so does moe_load_imbalance; one of them would do");
  const int ways =
      (routing.law ? 1 : 0) + (routing.histogram ? 1 : 0) + (routing.histogram_file ? 1 : 0);
  require(ways > 0, tree, key, "says nothing; law, histogram or histogram_file would do");
  require(ways == 1, tree, key,
          "has more than one of law, histogram and histogram_file; one of them would do");
  const bool power_law = routing.law == RoutingLaw::power_law;
  require(power_law == routing.exponent.has_value(), tree, power_law ? key : key + ".exponent",
          power_law ? "has no exponent, which power_law needs" : "is of the law power_law");
  require(power_law || !routing.seed, tree, key + ".seed", "is of the law power_law");
  const std::string loads = key + (routing.histogram ? ".histogram" : ".histogram_file");
  const auto experts = static_cast<std::size_t>(recipe.model.experts->num_moe_experts);
  for (const std::vector<double>& layer : routing.loads) {
    require(layer.size() == experts, tree, loads,
            "has {} numbers for {} experts; one for each would do", layer.size(), experts);
    require(std::any_of(layer.begin(), layer.end(), [](double load) { return load > 0; }), tree,
            loads, "has a layer without tokens");
  }
}

void check_dispatcher(const Recipe& recipe, const GpuSpec& gpu, const YamlNode& tree) {
  const MoeSpec& moe = recipe.moe;
  const int experts = recipe.model.experts->num_moe_experts;
  require(moe.moe_load_imbalance.value_or(1) <= experts, tree, "moe.moe_load_imbalance",
          "is more than {}, where one of the experts has all tokens", experts);
  require(moe.moe_flex_dispatcher_num_sms.value_or(0) <= gpu.sm_count.value, tree,
          "moe.moe_flex_dispatcher_num_sms", "is more than the {} SMs of {}", gpu.sm_count.value,
          gpu.name);
  const bool flex = moe.moe_token_dispatcher_type == TokenDispatcher::flex;
  require(flex || !moe.moe_flex_dispatcher_num_sms, tree, "moe.moe_flex_dispatcher_num_sms",
          "is of the flex dispatcher; moe_token_dispatcher_type says another");
  require(moe.moe_expert_capacity_factor || !moe.moe_pad_expert_input_to_capacity, tree,
          "moe.moe_pad_expert_input_to_capacity",
          "needs a capacity: moe_expert_capacity_factor is missing");
  require(!moe.moe_expert_capacity_factor ||
              moe.moe_token_dispatcher_type != TokenDispatcher::allgather ||
              !moe.moe_pad_expert_input_to_capacity,
          tree, "moe.moe_pad_expert_input_to_capacity",
          "is not of the allgather dispatcher; alltoall would do");
  require(!moe.moe_router_padding_for_quantization ||
              moe.moe_token_dispatcher_type != TokenDispatcher::allgather,
          tree, "moe.moe_router_padding_for_quantization",
          "is not of the allgather dispatcher; alltoall would do");
  const bool hybridep = flex && moe.moe_flex_dispatcher_backend == ExchangeLibrary::hybridep;
  const std::string budget = "moe.moe_expert_rank_capacity_factor";
  require(hybridep || !moe.moe_expert_rank_capacity_factor, tree, budget,
          "is of the flex dispatcher with HybridEP; moe_expert_capacity_factor would do");
  require(!moe.moe_expert_rank_capacity_factor || !moe.moe_expert_capacity_factor, tree, budget,
          "is of ranks, where moe_expert_capacity_factor is of experts; one of them would do");
}

void check_fused_experts(const Recipe& recipe, const YamlNode& tree) {
  if (!recipe.fuses_experts()) return;
  const std::string key = "moe.use_transformer_engine_op_fuser";
  require(recipe.software.library.row->name == "nccl", tree, key,
          "is of NVIDIA's GPUs, which {} does not run on", recipe.software.name);
  require(recipe.moe.moe_grouped_gemm, tree, key,
          "is of experts that are computed together; moe.moe_grouped_gemm is false");
  require(!recipe.recomputes(RecomputeModule::moe_act), tree, key,
          "fuses moe_act, which can not be computed again then; recompute_modules without it would "
          "do");
}

/// What hides an exchange of tokens needs one whose ranks do not wait for all tokens.
void require_exchange(const Recipe& recipe, const YamlNode& tree, const std::string& key) {
  require(recipe.moe.moe_token_dispatcher_type != TokenDispatcher::allgather, tree, key,
          "is not of the allgather dispatcher; alltoall or flex would do");
}

std::string combining_schedules() {
  std::vector<std::string_view> names;
  for (const ScheduleRow& row : schedule_rows()) {
    if (row.combines) names.push_back(name_of(row.kind));
  }
  return enumerated(names);
}

/// What Megatron core refuses too, and what would need another order of a layer's kernels.
void check_combined_passes(const Recipe& recipe, const YamlNode& tree) {
  const std::string key = "overlap.overlap_moe_expert_parallel_comm";
  require(recipe.ep() > 1, tree, key, "is of tokens that travel; expert_model_parallel_size is 1");
  require_exchange(recipe, tree, key);
  require(recipe.recompute == Recompute::none || recipe.recompute == Recompute::selective, tree,
          key, "needs layers that are not computed again whole; recompute selective would do");
  require(!recipe.recomputes(RecomputeModule::moe), tree, key,
          "needs experts that are not computed again; recompute_modules without moe would do");
  require(!recipe.moe.moe_shared_expert_overlap, tree, key,
          "takes the exchange that moe.moe_shared_expert_overlap hides behind shared experts; one "
          "of them would do");
  const ScheduleRow& schedule = schedule_of(pipeline_shape(recipe, 1));
  require(schedule.combines, tree, key, "is of {}, not of {}", combining_schedules(),
          name_of(schedule.kind));
  require(recipe.model.mtp_num_layers <= 1, tree, key,
          "is of models that predict one more token at most (mtp_num_layers)");
  require(!recipe.lora || !recipe.overlap.delay_wgrad_compute, tree, "overlap.delay_wgrad_compute",
          "is of weight gradients, which frozen weights do not have; false would do");
  require(!recipe.overlaps_weight_gradients() || !recipe.overlap.delay_wgrad_compute, tree,
          "overlap.delay_wgrad_compute",
          "takes weight gradients from beside the communication that overlap.tp_comm_overlap hides "
          "behind them; one of them would do");
}

void check_exchange_overlap(const Recipe& recipe, const YamlNode& tree) {
  const OverlapSpec& overlap = recipe.overlap;
  require(overlap.overlap_moe_expert_parallel_comm || !overlap.delay_wgrad_compute, tree,
          "overlap.delay_wgrad_compute", "is of overlap_moe_expert_parallel_comm, which is false");
  if (overlap.overlap_moe_expert_parallel_comm) check_combined_passes(recipe, tree);
  if (!recipe.moe.moe_shared_expert_overlap) return;
  const std::string key = "moe.moe_shared_expert_overlap";
  require(recipe.model.experts->moe_shared_expert_intermediate_size > 0, tree, key,
          "is of shared experts, which {} does not have", recipe.model.name);
  require_exchange(recipe, tree, key);
  require(
      recipe.recompute == Recompute::none ||
          (recipe.recompute == Recompute::selective && !recipe.recomputes(RecomputeModule::moe) &&
           !recipe.recomputes(RecomputeModule::shared_experts)),
      tree, key, "needs shared experts that are not computed again");
}

}  // namespace

void check_experts(const Scenario& scenario, const YamlNode& tree) {
  const Recipe& recipe = scenario.recipe;
  const std::string ep = "parallelism.expert_model_parallel_size";
  const std::string etp = "parallelism.expert_tensor_parallel_size";
  if (!recipe.model.has_experts()) {
    require(recipe.ep() == 1, tree, ep, "is {}; {} has no experts, 1 would do", recipe.ep(),
            recipe.model.name);
    require(!recipe.parallelism.expert_tensor_parallel_size, tree, etp,
            "is of experts, which {} does not have", recipe.model.name);
    for (const auto& [key, given] :
         {std::pair{"overlap.overlap_moe_expert_parallel_comm",
                    recipe.overlap.overlap_moe_expert_parallel_comm},
          std::pair{"overlap.delay_wgrad_compute", recipe.overlap.delay_wgrad_compute},
          std::pair{"moe.moe_shared_expert_overlap", recipe.moe.moe_shared_expert_overlap}})
      require(!given, tree, key, "is of experts, which {} does not have", recipe.model.name);
    return;
  }
  const ExpertsSpec& experts = *recipe.model.experts;
  divides(recipe.ep(), experts.num_moe_experts, tree, ep, "the experts");
  divides(recipe.etp(), experts.moe_ffn_hidden_size, tree, etp, "moe_ffn_hidden_size");
  divides(recipe.tp(), experts.moe_shared_expert_intermediate_size, tree,
          "parallelism.tensor_model_parallel_size", "moe_shared_expert_intermediate_size");
  const std::int64_t stage = scenario.gpus() / recipe.pp();
  const std::int64_t together = std::int64_t{recipe.ep()} * recipe.etp();
  require(stage % together == 0, tree, ep,
          "{} x ETP {} = {} does not divide the {} GPUs of a pipeline stage", recipe.ep(),
          recipe.etp(), together, stage);
  require(recipe.tp() == 1 || recipe.parallelism.sequence_parallel, tree,
          "parallelism.sequence_parallel", "is false; experts under tensor parallelism need it");
  check_rows(recipe, tree);
  check_routing(recipe, tree);
  check_dispatcher(recipe, scenario.cluster.gpu, tree);
  check_fused_experts(recipe, tree);
  check_exchange_overlap(recipe, tree);
}

}  // namespace simtrain
