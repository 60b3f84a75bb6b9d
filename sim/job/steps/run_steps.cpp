#include "sim/job/steps/run_steps.h"

#include <algorithm>
#include <cmath>

#include "sim/core/invariant.h"
#include "sim/job/plan/job_states.h"
#include "sim/job/simulation/counter_random.h"

namespace simtrain {
namespace {

/// Behind the streams of a job's failures (job_clock.cpp).
constexpr std::uint32_t kSlowSteps = 3;

bool is_due(std::size_t done, double interval) {
  return interval > 0 && is_multiple(static_cast<double>(done), interval);
}

double after(const BetweenSteps& between, std::size_t done) {
  double seconds = 0;
  if (is_due(done, between.eval_interval)) seconds += between.evaluation_s;
  if (is_due(done, between.save_interval)) {
    seconds += between.save_s;
  } else if (is_due(done, between.local_interval)) {
    seconds += between.local_save_s;
  }
  return seconds;
}

}  // namespace

BetweenSteps between_steps(const JobInputs& job, const Report& report) {
  JobStates healthy;
  healthy.replicas = job_replicas(job.scenario);
  healthy.smaller.push_back(0);
  if (job.failures) healthy.slowed.assign(job.failures->components.size(), {0});
  const JobPlan plan = job_plan(job, job_checkpoints(job), healthy, {report});
  BetweenSteps between;
  if (job.spec.eval) {
    between.eval_interval = job.spec.eval->eval_interval;
    between.evaluation_s = plan.eval_s * between.eval_interval;
  }
  between.data_s = plan.data.wait_s(plan.step_s, 1);
  between.save_interval = plan.persistent.interval;
  between.save_s = plan.waits_s(plan.persistent);
  between.local_interval = plan.local.interval;
  between.local_save_s = plan.waits_s(plan.local);
  return between;
}

std::vector<RunStep> run_steps(const Report& report, const StepEvents& events,
                               const BetweenSteps& between) {
  invariant(report.sample.has_value(), "steps were drawn");
  const std::vector<double>& drawn = report.sample->seconds;
  const auto interval = static_cast<std::size_t>(events.garbage_collection_interval.value);
  const double collection = to_seconds(events.garbage_collection.value);
  const double least = events.slow_least.value;
  const double range = events.slow_most.value - least;
  const double slow_share = events.slow_share.value;
  const double slow_mean = 1 + slow_share * (least + range / 2 - 1);
  CounterRandom random(report.sample->seed, 0, kSlowSteps);
  std::vector<RunStep> steps(drawn.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    RunStep& step = steps[i];
    step.seconds = std::max(0.0, drawn[i] - collection / static_cast<double>(interval)) / slow_mean;
    const double chance = random.uniform();
    const double slow = least + range * random.uniform();
    if (chance < slow_share) step.seconds *= slow;
    if ((i + 1) % interval == 0) step.seconds += collection;
    step.seconds += between.data_s;
    step.after_s = after(between, i + 1);
  }
  steps.front().seconds += events.first_step_s(report.software) + events.connections_s(report.gpus);
  return steps;
}

}  // namespace simtrain
