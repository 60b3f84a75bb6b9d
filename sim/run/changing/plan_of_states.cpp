#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "sim/run/changing/step_in_states.h"

namespace simtrain {
namespace {

/// Costs of one op in each state, in the shares in which it ran there.
ComputeCost mixed(const std::vector<std::pair<const ComputeCost*, double>>& costs) {
  ComputeCost sum = *costs.front().first;
  if (costs.size() == 1) return sum;
  sum.parts = {};
  sum.sm_bound = sum.memory_bound = sum.draw = 0;
  double seconds = 0;
  for (const auto& [cost, share] : costs) seconds += share * to_seconds(cost->time);
  sum.time = to_duration(seconds);
  for (const auto& [cost, share] : costs) {
    const double weight = seconds > 0 ? share * to_seconds(cost->time) / seconds : 0;
    sum.sm_bound += weight * cost->sm_bound;
    sum.memory_bound += weight * cost->memory_bound;
    sum.draw += weight * cost->draw;
    for (std::size_t i = 0; i < kShares; ++i) sum.parts[i] += share * cost->parts[i];
  }
  return sum;
}

/// The program of a simulated rank.
class ProgramOfStates {
 public:
  ProgramOfStates(const std::vector<const Plan*>& plans, const OpStates& states, std::uint32_t rank)
      : states_(states), rank_(rank) {
    for (const Plan* plan : plans) programs_.push_back(&plan->programs[plan->ranks[rank].program]);
  }

  Program program() {
    Program result = *programs_.front();
    for (std::uint32_t op = 0; op < result.ops.size(); ++op) {
      const std::vector<StateShare> shares = states_.of(rank_, op);
      if (shares.size() == 1 && shares.front().state == 0) continue;
      Op& own = result.ops[op];
      own.cost =
          own.compute ? compute(result, op, shares) : transfer(result, op, shares.front().state);
    }
    return result;
  }

 private:
  [[nodiscard]] std::uint32_t cost_in(std::uint32_t state, std::uint32_t op) const {
    return programs_[state]->ops[op].cost;
  }
  /// A cost of another state is taken over once for all ops that have it.
  template <class Add>
  std::uint32_t taken_over(std::uint32_t state, std::uint32_t op, const Add& add) {
    const Op& own = programs_[state]->ops[op];
    const auto [entry, fresh] = known_.try_emplace({own.compute, state, own.cost}, 0);
    if (fresh) entry->second = add();
    return entry->second;
  }
  std::uint32_t compute(Program& result, std::uint32_t op, const std::vector<StateShare>& shares) {
    std::vector<std::pair<const ComputeCost*, double>> costs;
    costs.reserve(shares.size());
    for (const StateShare& share : shares)
      costs.emplace_back(&programs_[share.state]->compute_costs[cost_in(share.state, op)],
                         share.share);
    const auto add = [&] {
      ComputeCost cost = mixed(costs);
      cost.traffic = programs_.front()->compute_costs[cost_in(0, op)].traffic;
      return result.add_cost(cost);
    };
    return shares.size() > 1 ? add() : taken_over(shares.front().state, op, add);
  }
  /// One that moved in several states counts as in that in which it began.
  std::uint32_t transfer(Program& result, std::uint32_t op, std::uint32_t state) {
    return taken_over(state, op, [&] {
      return result.add_transfer(programs_[state]->transfers[cost_in(state, op)]);
    });
  }

  const OpStates& states_;
  std::uint32_t rank_;
  std::vector<const Program*> programs_;
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::uint32_t> known_;
};

}  // namespace

Plan plan_of_states(const std::vector<const Plan*>& plans, const OpStates& states) {
  Plan plan = *plans.front();
  plan.programs.clear();
  std::map<int, std::uint32_t> of_like;
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
    const auto [entry, fresh] = of_like.try_emplace(
        plan.ranks[rank].like, static_cast<std::uint32_t>(plan.programs.size()));
    if (fresh) plan.programs.push_back(ProgramOfStates(plans, states, rank).program());
    plan.ranks[rank].program = entry->second;
  }
  return plan;
}

}  // namespace simtrain
