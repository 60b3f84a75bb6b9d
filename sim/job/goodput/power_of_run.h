#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/job/plan/job_plan.h"
#include "sim/job/simulation/job_run.h"
#include "sim/job/simulation/use_trace.h"
#include "sim/run/energy/step_energy.h"

namespace simtrain {

/// What a cluster draws at one time, its switches and site with it.
struct PowerLevels {
  double step_w = 0;        ///< the mean of a step
  double step_least_w = 0;  ///< in a step: what nothing hides, pipelines that fill and drain
  double step_most_w = 0;   ///< in a step: kernels on all GPUs
  double waiting_w = 0;     ///< no step runs: saves, failures, restarts
};
/// `idle_gpu_w`: of one GPU that waits.
PowerLevels power_levels(const StepEnergy& step, double idle_gpu_w);

/// The power of a job's cluster over one of its runs, in equal parts of its time. Spare nodes are
/// not in it.
struct PowerOfRun {
  PowerLevels levels;
  double part_s = 0;
  std::vector<double> mean_w;
  std::vector<double> least_w;  ///< at any time of the part
  std::vector<double> most_w;
  std::vector<UsedTime> used;  ///< see UseTrace

  /// The same in fewer parts, whose number divides that of these.
  [[nodiscard]] PowerOfRun in(std::size_t parts) const;
};
inline constexpr std::size_t kPartsOfRun = 1000;

/// Of run number `run`, which took `elapsed_s`.
PowerOfRun power_of_run(const JobPlan& plan, std::uint32_t run, double elapsed_s,
                        const PowerLevels& levels);

}  // namespace simtrain
