#include "sim/run/changing/step_in_states.h"

#include <algorithm>
#include <utility>

#include "sim/run/engine/executor.h"
#include "sim/run/step/pass_bursts.h"
#include "sim/run/step/planned_step.h"
#include "sim/topology/fault_times.h"
#include "sim/workload/schedule/recipe_grid.h"

namespace simtrain {
namespace {

/// When which state of the cluster begins, from the start of a step on.
struct StateChanges {
  std::vector<ClusterFaults> states;  ///< each once
  std::vector<std::pair<Duration, std::uint32_t>> phases;
};

StateChanges changes_of(const ClusterFaults& faults, Duration begun,
                        const std::vector<Duration>& edges) {
  StateChanges changes;
  std::vector<std::vector<bool>> known;
  const auto enter = [&](Duration time) {
    const std::vector<bool> held = holding_at(faults, time);
    const auto found = std::find(known.begin(), known.end(), held);
    const auto state = static_cast<std::uint32_t>(found - known.begin());
    if (found == known.end()) {
      known.push_back(held);
      changes.states.push_back(faults_at(faults, time));
    }
    if (!changes.phases.empty() && changes.phases.back().second == state) return;
    changes.phases.emplace_back(time - begun, state);
  };
  enter(begun);
  for (const Duration edge : edges) enter(edge);
  return changes;
}

/// A step laid out and planned in each state of its cluster, with the same ranks folded.
class StatesOfStep {
 public:
  StatesOfStep(const Scenario& scenario, const SimulateOptions& options,
               const std::vector<ClusterFaults>& states) {
    std::vector<const Cluster*> clusters;
    for (const ClusterFaults& faults : states) {
      ClusterSpec spec = scenario.cluster;
      spec.faults = faults;
      clusters_.push_back(cluster_for(spec, options.clusters));
      clusters.push_back(clusters_.back().get());
    }
    const Placement placement = place(scenario.cluster, scenario.placement);
    const RankGrid grid = rank_grid(scenario.recipe, scenario.gpus());
    classes_ = std::make_shared<std::vector<RankClasses>>(
        rank_classes(clusters, placement, grid, options.unfold));
    for (std::size_t i = 0; i < states.size(); ++i) {
      steps_.push_back(plan_step({scenario, ModelTotals(scenario.recipe), clusters_[i],
                                  *clusters_[i], placement, grid, (*classes_)[i]}));
      bursts_.push_back(pass_bursts(steps_.back()));
    }
  }

  SimulatedStep run(const std::vector<std::pair<Duration, std::uint32_t>>& phases,
                    const Watch& watch) && {
    std::vector<PlanPhase> plans;
    plans.reserve(phases.size());
    for (const auto& [from, state] : phases)
      plans.push_back({from, state, &steps_[state].plan, &bursts_[state]});
    PhasedTimeline done = execute_phases(std::move(plans), watch);
    std::vector<const Plan*> by_state;
    by_state.reserve(steps_.size());
    for (const PlannedStep& step : steps_) by_state.push_back(&step.plan);
    Plan plan = plan_of_states(by_state, done.states);
    SimulatedStep step{std::move(steps_.front()), std::move(done.timeline)};
    step.plan = std::move(plan);
    step.states = std::move(done.states);
    step.classes_of_states = classes_;
    for (std::size_t i = 1; i < steps_.size(); ++i)
      step.later.push_back({clusters_[i], std::move(steps_[i].passes)});
    return step;
  }

 private:
  std::vector<std::shared_ptr<const Cluster>> clusters_;
  std::shared_ptr<std::vector<RankClasses>> classes_;
  std::vector<PlannedStep> steps_;
  std::vector<PlanBursts> bursts_;
};

/// In one state, a step as of a cluster that has its faults for good.
SimulatedStep step_in(const Scenario& scenario, const SimulateOptions& options,
                      const ClusterFaults& faults) {
  ClusterSpec spec = scenario.cluster;
  spec.faults = faults;
  PlannedStep planned = plan_step(scenario, spec, options);
  Timeline timeline = execute(planned.plan, options.watch, pass_bursts(planned));
  return {std::move(planned), std::move(timeline)};
}

SimulatedStep step_over(const Scenario& scenario, const SimulateOptions& options, Duration begun,
                        const std::vector<Duration>& edges) {
  const StateChanges changes = changes_of(scenario.cluster.faults, begun, edges);
  if (changes.states.size() == 1) return step_in(scenario, options, changes.states.front());
  return StatesOfStep(scenario, options, changes.states).run(changes.phases, options.watch);
}

}  // namespace

SimulatedStep step_in_states(const Scenario& scenario, const SimulateOptions& options,
                             Duration begun) {
  const std::vector<Duration> edges = fault_edges(scenario.cluster.faults, begun);
  const auto before = [&](Duration end) {
    return static_cast<std::ptrdiff_t>(std::lower_bound(edges.begin(), edges.end(), begun + end) -
                                       edges.begin());
  };
  // How long the step takes decides which edges it meets, and the other way round. Those that it
  // does not meet unfold nothing.
  std::ptrdiff_t taken = 0;
  while (true) {
    SimulatedStep step =
        step_over(scenario, options, begun, {edges.begin(), edges.begin() + taken});
    const std::ptrdiff_t met = before(step.timeline.end);
    if (met == taken) return step;
    taken = met < taken ? met : before(2 * step.timeline.end);
  }
}

}  // namespace simtrain
