#include "sim/job/goodput/power_of_run.h"

#include <algorithm>

#include "sim/core/invariant.h"
#include "sim/job/goodput/job_bill.h"

namespace simtrain {
namespace {

void add_part(const UsedTime& used, PowerOfRun& power) {
  const PowerLevels& levels = power.levels;
  const double all = used.total();
  const double steps = used[TimeUse::training];
  const double waits = all - steps;
  const bool runs = steps > 0;
  const bool stands = waits > 1e-9 * all;
  power.used.push_back(used);
  power.mean_w.push_back(all > 0 ? (steps * levels.step_w + waits * levels.waiting_w) / all
                                 : levels.waiting_w);
  power.least_w.push_back(stands ? std::min(levels.waiting_w, levels.step_least_w)
                                 : levels.step_least_w);
  power.most_w.push_back(runs ? levels.step_most_w : levels.waiting_w);
}

}  // namespace

PowerLevels power_levels(const StepEnergy& step, double idle_gpu_w) {
  return {step.cluster_w(), cluster_w_at(step, step.trace.least_w()),
          cluster_w_at(step, step.trace.most_w()), cluster_w_at(step, idle_gpu_w)};
}

PowerOfRun PowerOfRun::in(std::size_t parts) const {
  invariant(parts > 0 && used.size() % parts == 0, "parts divide those that there are");
  const std::size_t each = used.size() / parts;
  PowerOfRun fewer;
  fewer.levels = levels;
  fewer.part_s = part_s * static_cast<double>(each);
  for (std::size_t part = 0; part < parts; ++part) {
    UsedTime sum;
    for (std::size_t i = 0; i < each; ++i) sum += used[part * each + i];
    add_part(sum, fewer);
  }
  return fewer;
}

PowerOfRun power_of_run(const JobPlan& plan, std::uint32_t run, double elapsed_s,
                        const PowerLevels& levels) {
  UseTrace trace(elapsed_s, kPartsOfRun);
  static_cast<void>(simulate_job(plan, run, &trace));
  PowerOfRun power;
  power.levels = levels;
  power.part_s = trace.part_s();
  for (const UsedTime& used : trace.parts()) add_part(used, power);
  return power;
}

}  // namespace simtrain
