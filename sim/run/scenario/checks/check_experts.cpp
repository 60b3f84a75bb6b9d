#include <algorithm>

#include <fmt/format.h>

#include "sim/run/scenario/checks/checks.h"

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
          fmt::format("makes {:.3g} rows of one rank's experts; up to {:.0g} are modelled", rows,
                      kMostRows));
}

void check_dispatcher(const Recipe& recipe, const YamlNode& tree) {
  const MoeSpec& moe = recipe.moe;
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
  const bool hybridep = flex && moe.moe_flex_dispatcher_backend == ExchangeLibrary::hybridep;
  const std::string budget = "moe.moe_expert_rank_capacity_factor";
  require(hybridep || !moe.moe_expert_rank_capacity_factor, tree, budget,
          "is of the flex dispatcher with HybridEP; moe_expert_capacity_factor would do");
  require(!moe.moe_expert_rank_capacity_factor || !moe.moe_expert_capacity_factor, tree, budget,
          "is of ranks, where moe_expert_capacity_factor is of experts; one of them would do");
}

}  // namespace

void check_experts(const Scenario& scenario, const YamlNode& tree) {
  const Recipe& recipe = scenario.recipe;
  const std::string ep = "parallelism.expert_model_parallel_size";
  const std::string etp = "parallelism.expert_tensor_parallel_size";
  if (!recipe.model.has_experts()) {
    require(recipe.ep() == 1, tree, ep,
            fmt::format("is {}; {} has no experts, 1 would do", recipe.ep(), recipe.model.name));
    require(!recipe.parallelism.expert_tensor_parallel_size, tree, etp,
            fmt::format("is of experts, which {} does not have", recipe.model.name));
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
          fmt::format("{} x ETP {} = {} does not divide the {} GPUs of a pipeline stage",
                      recipe.ep(), recipe.etp(), together, stage));
  require(recipe.tp() == 1 || recipe.parallelism.sequence_parallel, tree,
          "parallelism.sequence_parallel", "is false; experts under tensor parallelism need it");
  check_rows(recipe, tree);
  check_dispatcher(recipe, tree);
}

}  // namespace simtrain
