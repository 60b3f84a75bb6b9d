#include "sim/study/tune/tune.h"

#include <algorithm>
#include <oneapi/tbb/parallel_for.h>

#include "sim/study/tune/tune_search.h"
#include "sim/topology/fault_times.h"

namespace simtrain {
namespace {

/// The plans that differ from the best in one knob alone, the next below and above it.
std::vector<std::pair<Knob, const LegalPlan*>> neighbours(const PlanSpace& space,
                                                          const PlanChoice& best) {
  std::vector<std::pair<Knob, const LegalPlan*>> result;
  for (const auto& [name, knob] : EnumNames<Knob>::rows) {
    if (knob == Knob::dp) continue;
    const LegalPlan* below = nullptr;
    const LegalPlan* above = nullptr;
    for (const LegalPlan& plan : space.legal) {
      PlanChoice other = plan.choice;
      const int value = other[knob];
      other[knob] = best[knob];
      other[Knob::dp] = best[Knob::dp];
      if (other != best || value == best[knob]) continue;
      if (value < best[knob] && (below == nullptr || value > below->choice[knob])) below = &plan;
      if (value > best[knob] && (above == nullptr || value < above->choice[knob])) above = &plan;
    }
    for (const LegalPlan* plan : {below, above}) {
      if (plan != nullptr) result.emplace_back(knob, plan);
    }
  }
  return result;
}

std::vector<KnobStep> knob_steps(const TuneRequest& request, const TuneResult& result,
                                 ClusterCache& clusters) {
  const PlanChoice& best = result.best.front().plan.choice;
  std::size_t size = 0;
  while (request.sizes[size].gpus() != best.gpus) ++size;
  const auto found = neighbours(result.spaces[size], best);
  std::vector<KnobStep> steps(found.size());
  tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t i) {
    const auto& [knob, plan] = found[i];
    steps[i] = {knob, {*plan, {}}, ""};
    try {
      steps[i].changed.report = simulate_plan(request.sizes[size], plan->choice, clusters);
    } catch (const InputError& refusal) {
      steps[i].refusal = refusal.what();
    }
  });
  return steps;
}

template <class Count>
std::int64_t sum(const std::vector<PlanSpace>& spaces, const Count& count) {
  std::int64_t total = 0;
  for (const PlanSpace& space : spaces) total += count(space);
  return total;
}

}  // namespace

std::int64_t SearchedPlans::considered() const {
  return sum(spaces, [](const PlanSpace& space) { return space.considered; });
}

std::int64_t SearchedPlans::legal() const {
  return sum(spaces,
             [](const PlanSpace& space) { return static_cast<std::int64_t>(space.legal.size()); });
}

std::int64_t SearchedPlans::fitting() const {
  return sum(spaces, [](const PlanSpace& space) { return space.fitting(); });
}

std::int64_t SearchedPlans::tight() const {
  return sum(spaces, [](const PlanSpace& space) { return space.tight(); });
}

const LegalPlan* SearchedPlans::smallest() const {
  const LegalPlan* result = nullptr;
  for (const PlanSpace& space : spaces) {
    const LegalPlan* plan = space.smallest();
    if (plan != nullptr && (result == nullptr || plan->memory_bytes < result->memory_bytes))
      result = plan;
  }
  return result;
}

TuneResult tune(const TuneRequest& request, const Watch& watch) {
  TuneResult result;
  result.by = request.by;
  result.memory_margin = request.memory_margin;
  result.allow_tight = request.allow_tight;
  result.spaces.reserve(request.sizes.size());
  for (const Scenario& size : request.sizes) {
    refuse_fault_times(size.cluster.faults, "tune");
    result.spaces.push_back(plan_space(size, request.limits, request.memory_margin));
  }
  ClusterCache clusters;
  SearchResult found = search(request, result.spaces, clusters, watch);
  result.simulated = found.simulated;
  result.best = std::move(found.best);
  result.tight_ahead = std::move(found.tight_ahead);
  result.skipped = std::move(found.skipped);
  if (!result.best.empty() && request.steps) result.steps = knob_steps(request, result, clusters);
  return result;
}

double score(TuneGoal by, double step_time_s, int gpus) {
  return by == TuneGoal::step_time ? step_time_s : step_time_s * gpus;
}

}  // namespace simtrain
