#include "sim/run/step/simulated_step.h"

#include <chrono>

#include "sim/run/engine/executor.h"
#include "sim/run/step/pass_bursts.h"

namespace simtrain {

SimulatedStep simulate_steady_step(const Scenario& scenario, const SimulateOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  PlannedStep planned = plan_step(scenario, options);
  Timeline timeline = execute(planned.plan, options.watch, pass_bursts(planned));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  return {std::move(planned), std::move(timeline), taken.count()};
}

std::vector<int> ranks_behind(const SimulatedStep& simulated) {
  std::vector<int> by_rank(static_cast<std::size_t>(simulated.grid.ranks()), 0);
  for (const int first : simulated.classes.step_representative)
    ++by_rank[static_cast<std::size_t>(first)];
  std::vector<int> behind;
  behind.reserve(simulated.plan.ranks.size());
  for (const SimulatedRank& rank : simulated.plan.ranks)
    behind.push_back(by_rank[static_cast<std::size_t>(rank.rank)]);
  return behind;
}

}  // namespace simtrain
