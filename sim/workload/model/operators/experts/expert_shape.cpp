#include "sim/workload/model/operators/experts/expert_shape.h"

#include <algorithm>
#include <cmath>

#include "sim/workload/model/operators/experts/routing.h"

namespace simtrain {
namespace {

/// Tokens beyond the capacity of an expert or a rank are dropped, so that no rank has more rows
/// than that.
double imbalance_of(const MoeSpec& moe, const ExpertsSpec& spec, double tokens, int ep) {
  if (moe.moe_expert_capacity_factor && moe.moe_pad_expert_input_to_capacity) return 1;
  double imbalance = expected_imbalance(moe, spec, tokens, ep);
  for (const auto& most : {moe.moe_expert_capacity_factor, moe.moe_expert_rank_capacity_factor}) {
    if (most) imbalance = std::min(imbalance, std::max(1.0, *most));
  }
  return imbalance;
}

/// Rows by which the experts of a token's choice are reached, over all of it.
double kept_share(const MoeSpec& moe, const ExpertsSpec& spec, double tokens) {
  if (!moe.moe_expert_capacity_factor) return 1;
  const double factor = *moe.moe_expert_capacity_factor;
  return moe.moe_pad_expert_input_to_capacity ? factor
                                              : taken_by_capacity(moe, spec, tokens, factor);
}

}  // namespace

ExpertShape::ExpertShape(const RankShape& shape)
    : spec(*shape.model().experts),
      ep(shape.recipe.ep()),
      etp(shape.recipe.etp()),
      local(spec.num_moe_experts / ep),
      columns(spec.moe_ffn_hidden_size / etp),
      width(spec.moe_latent_size.value_or(shape.hidden())),
      tokens(shape.own_rows),
      sent(tokens * spec.moe_router_topk * kept_share(shape.recipe.moe, spec, tokens * etp * ep)),
      rows(sent * etp),
      imbalance(imbalance_of(shape.recipe.moe, spec, tokens * etp, ep)) {}

std::int64_t ExpertShape::rows_of_expert(double of_mean) const {
  return std::max<std::int64_t>(1, std::llround(rows * of_mean / static_cast<double>(local)));
}

}  // namespace simtrain
