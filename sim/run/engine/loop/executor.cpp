#include "sim/run/engine/executor.h"

#include <utility>

#include "sim/run/engine/loop/event_loop.h"

namespace simtrain {

using execution::Executor;

Timeline execute(const Plan& plan, const Watch& watch, const PlanBursts& bursts) {
  return Executor(plan, watch, bursts, nullptr, nullptr, nullptr).run();
}

void execute_steps(const Plan& plan, JobSteps& steps, RateObserver* observer) {
  const Watch nobody;
  const PlanBursts by_sums;
  Executor(plan, nobody, by_sums, &steps, observer, nullptr).run();
}

PhasedTimeline execute_phases(std::vector<PlanPhase> phases, const Watch& watch) {
  const PlanPhase first = phases.front();
  PhaseLog log(std::move(phases), first.plan->ranks.size());
  Executor executor(*first.plan, watch, *first.bursts, nullptr, nullptr, &log);
  Timeline timeline = executor.run();
  return {std::move(timeline), log.take()};
}

}  // namespace simtrain
