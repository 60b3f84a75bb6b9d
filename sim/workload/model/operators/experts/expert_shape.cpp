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
  const double imbalance =
      moe.moe_expert_capacity_factor
          ? imbalance_of_taken(moe, spec, tokens, ep, *moe.moe_expert_capacity_factor)
          : expected_imbalance(moe, spec, tokens, ep);
  if (!moe.moe_expert_rank_capacity_factor) return imbalance;
  return std::min(imbalance, std::max(1.0, *moe.moe_expert_rank_capacity_factor));
}

/// Rows by which the experts of a token's choice are reached, over all of it.
double kept_share(const MoeSpec& moe, const ExpertsSpec& spec, double tokens) {
  if (!moe.moe_expert_capacity_factor) return 1;
  const double factor = *moe.moe_expert_capacity_factor;
  return moe.moe_pad_expert_input_to_capacity ? factor
                                              : taken_by_capacity(moe, spec, tokens, factor);
}

/// Layers that are kept out of the precision have experts of separate kernels.
bool fuses(const RankShape& shape) {
  return shape.recipe.fuses_experts() && shape.linear.fused_rows_multiple;
}

int rows_multiple(const RankShape& shape) {
  return fuses(shape) ? *shape.linear.fused_rows_multiple : shape.linear.rows_multiple;
}

/// Megatron core pads by the router's map where a key says so, or in TEGroupedMLP; the flex
/// dispatcher pads its map behind the exchange.
RowPadding padding_of(const RankShape& shape) {
  const MoeSpec& moe = shape.recipe.moe;
  if (shape.linear.rows_multiple == 1) return RowPadding::none;
  const bool by_map = moe.moe_router_padding_for_quantization;
  if (moe.moe_token_dispatcher_type != TokenDispatcher::flex)
    return by_map ? RowPadding::by_router : RowPadding::by_copies;
  return by_map || shape.recipe.software.pads_rows_in_dispatcher() ? RowPadding::by_dispatcher
                                                                   : RowPadding::by_copies;
}

bool rows_known(const MoeSpec& moe) {
  return moe.moe_pad_expert_input_to_capacity ||
         (moe.routing && moe.routing->law == RoutingLaw::balanced);
}

/// Rows that leave the tokens of a rank; its router pads those of each expert.
double sent_rows(const RankShape& shape, const ExpertsSpec& spec, RowPadding padding,
                 double exchanged) {
  const MoeSpec& moe = shape.recipe.moe;
  const double chosen = shape.own_rows * spec.moe_router_topk * kept_share(moe, spec, exchanged);
  if (padding != RowPadding::by_router) return chosen;
  return spec.num_moe_experts *
         padded_rows(chosen / spec.num_moe_experts, rows_multiple(shape), rows_known(moe));
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
      padding(padding_of(shape)),
      sent(sent_rows(shape, spec, padding, tokens * etp * ep)),
      rows(sent * etp),
      imbalance(imbalance_of(shape.recipe.moe, spec, tokens * etp, ep)),
      fused(fuses(shape)),
      multiple_(padding == RowPadding::by_router ? 1 : rows_multiple(shape)),
      rows_known_(rows_known(shape.recipe.moe)) {}

std::int64_t ExpertShape::rows_of_expert(double of_mean) const {
  return std::max<std::int64_t>(1, std::llround(padded_rows(of_mean) / static_cast<double>(local)));
}

double ExpertShape::padded_rows(double of_mean) const {
  const auto experts = static_cast<double>(local);
  return experts * simtrain::padded_rows(rows * of_mean / experts, multiple_, rows_known_);
}

}  // namespace simtrain
