#include "sim/study/tune/estimated_step.h"

#include <algorithm>

#include "sim/run/simulate.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

/// The fewest micro-batches with which a pipeline is full for a while, and after which deferred
/// weight gradients add the same with each, or nothing.
int full_pipeline(const Recipe& recipe) {
  const int stages = recipe.pp();
  const int group = pipeline_shape(recipe, 1).group_size();
  const int least = std::max(2 * stages, recipe.overlap.wgrad_deferral_limit);
  return (least + group - 1) / group * group;
}

double step_time_of(const Scenario& scenario, int micro_batches, int sequences) {
  Scenario shorter = scenario;
  shorter.recipe.training.global_batch_size = micro_batches * sequences;
  return step_time(shorter);
}

}  // namespace

double step_time(const Scenario& scenario) {
  return to_seconds(simulate_step(scenario).timeline.end);
}

double estimated_step_time(const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  const int micro_batches = rank_grid(recipe, scenario.gpus()).micro_batches();
  const int sequences = recipe.training.global_batch_size / micro_batches;
  const int few = full_pipeline(recipe);
  if (micro_batches / 4 <= few) return step_time(scenario);
  const double short_step = step_time_of(scenario, few, sequences);
  const double longer_step = step_time_of(scenario, 2 * few, sequences);
  return short_step + (longer_step - short_step) * (micro_batches - few) / few;
}

}  // namespace simtrain
