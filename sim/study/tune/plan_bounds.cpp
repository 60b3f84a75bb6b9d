#include "sim/study/tune/plan_bounds.h"

#include <oneapi/tbb/parallel_for.h>
#include <tuple>

#include "sim/run/engine/executor.h"

namespace simtrain {

PlanBounds::PlanBounds(const std::vector<Scenario>& sizes) {
  sites_.reserve(sizes.size());
  for (const Scenario& scenario : sizes) sites_.emplace_back(scenario);
}

Recipe PlanBounds::Site::recipe(const PlanChoice& choice) const {
  Recipe changed = scenario->recipe;
  apply(choice, scenario->cluster, changed);
  return changed;
}

PlanBounds::Costs PlanBounds::Site::costs_of(const Recipe& recipe, Known known) const {
  try {
    return {known == Known::alone ? bound.alone_costs(recipe) : bound.pass_costs(recipe), ""};
  } catch (const InputError& refusal) {
    return {{}, refusal.what()};
  }
}

void PlanBounds::prepare(const std::vector<PlanAt>& plans, Known known) {
  std::vector<std::tuple<std::size_t, Recipe, Costs*>> missing;
  for (const PlanAt& at : plans) {
    Site& site = sites_[at.size];
    Recipe recipe = site.recipe(at.plan->choice);
    auto& there = known == Known::alone ? site.alone : site.passes;
    const auto [entry, fresh] = there.try_emplace(site.bound.key(recipe));
    if (fresh) missing.emplace_back(at.size, std::move(recipe), &entry->second);
  }
  tbb::parallel_for(std::size_t{0}, missing.size(), [&](std::size_t i) {
    const auto& [size, recipe, costs] = missing[i];
    *costs = sites_[size].costs_of(recipe, known);
  });
}

const PlanBounds::Costs& PlanBounds::Site::costs_at(const Recipe& recipe, Known known) const {
  return (known == Known::alone ? alone : passes).at(bound.key(recipe));
}

double PlanBounds::joules_per_token(const PlanAt& at, Known known, double step_s) const {
  const Site& site = sites_[at.size];
  const Recipe recipe = site.recipe(at.plan->choice);
  return site.bound.joules_per_token(recipe, site.costs_at(recipe, known).costs, step_s);
}

double PlanBounds::seconds(const PlanAt& at, Known known) const {
  const Site& site = sites_[at.size];
  const Recipe recipe = site.recipe(at.plan->choice);
  const Costs& costs = site.costs_at(recipe, known);
  if (!costs.refusal.empty()) throw InputError({}, "", costs.refusal);
  const double seconds = site.bound.seconds(recipe, costs.costs, known == Known::all);
  if (seconds > to_seconds(kLongestStep)) throw InputError({}, "", std::string(kTooLongStep));
  return seconds;
}

}  // namespace simtrain
