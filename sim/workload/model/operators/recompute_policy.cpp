#include "sim/workload/model/operators/recompute_policy.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

/// Which results a policy keeps: those of all products, of attention and all-to-alls, or some.
struct PolicyRow {
  Recompute policy{};
  bool products = false;
  bool costly = false;
  // MaxText's names of results.
  bool qkv_proj = false;
  bool context = false;
  bool out_proj = false;
  bool mlpwo = false;
};

constexpr std::array kPolicies{
    PolicyRow{.policy = Recompute::selective_op, .products = true, .costly = true},
    PolicyRow{.policy = Recompute::checkpoint_dots, .products = true},
    PolicyRow{.policy = Recompute::minimal_flash, .products = true, .costly = true},
    PolicyRow{.policy = Recompute::save_qkv_proj, .qkv_proj = true},
    PolicyRow{.policy = Recompute::save_out_proj, .out_proj = true},
    PolicyRow{.policy = Recompute::save_dot_except_mlp, .qkv_proj = true, .out_proj = true},
    PolicyRow{.policy = Recompute::save_dot_with_context_except_mlp,
              .qkv_proj = true,
              .context = true,
              .out_proj = true},
    PolicyRow{.policy = Recompute::save_dot_except_mlpwi,
              .qkv_proj = true,
              .out_proj = true,
              .mlpwo = true}};

/// A result that MaxText names, by the module that puts it out.
struct NamedResult {
  std::string_view module;
  bool PolicyRow::*kept;
};

constexpr std::array kNamedResults{NamedResult{"linear_qkv", &PolicyRow::qkv_proj},
                                   NamedResult{"linear_q_proj", &PolicyRow::qkv_proj},
                                   NamedResult{"linear_q_up_proj", &PolicyRow::qkv_proj},
                                   NamedResult{"linear_kv_up_proj", &PolicyRow::qkv_proj},
                                   NamedResult{"core_attention", &PolicyRow::context},
                                   NamedResult{"linear_proj", &PolicyRow::out_proj},
                                   NamedResult{"linear_fc2", &PolicyRow::mlpwo},
                                   NamedResult{"experts_fc2", &PolicyRow::mlpwo},
                                   NamedResult{"shared_experts_fc2", &PolicyRow::mlpwo}};

bool keeps(const PolicyRow& row, const Operator& op) {
  if ((multiplies(op) && row.products) || (op.costly && row.costly)) return true;
  const auto* const named =
      std::find_if(kNamedResults.begin(), kNamedResults.end(),
                   [&](const NamedResult& one) { return one.module == op.module; });
  return named != kNamedResults.end() && row.*named->kept;
}

const PolicyRow& row_of(Recompute policy) {
  const auto* const row = std::find_if(kPolicies.begin(), kPolicies.end(),
                                       [&](const PolicyRow& one) { return one.policy == policy; });
  invariant(row != kPolicies.end(), "a way of recompute that is no policy");
  return *row;
}

/// torchtitan keeps the result of every other product.
bool in_part(const Operator& op, Recompute policy) {
  return policy == Recompute::selective_op && op.partly_again;
}

}  // namespace

const Forward* dropped_by_policy(const Operator& op, Recompute policy) {
  if (in_part(op, policy)) return &op.partly_again->run;
  return keeps(row_of(policy), op) ? nullptr : &op.forward;
}

double kept_by_policy(const Operator& op, Recompute policy) {
  if (in_part(op, policy)) return op.output_bytes * (1 - op.partly_again->share);
  return keeps(row_of(policy), op) ? op.output_bytes : 0;
}

}  // namespace simtrain
