#pragma once

#include "sim/job/goodput/job_summary.h"
#include "sim/run/energy/step_energy.h"

namespace simtrain {

/// What a job takes in the mean of its runs, spare nodes with it. Steps draw what the step of the
/// whole job draws; in all other time GPUs are idle and everything else draws as much as ever.
struct JobBill {
  double steps_joules = 0;    ///< of all steps, also of those that are lost
  double waiting_joules = 0;  ///< of all other time, and of spare nodes
  EnergyCost cost;            ///< nothing where the scenario gives no price for it

  [[nodiscard]] double joules() const { return steps_joules + waiting_joules; }
};

/// Watts of a job's cluster while its mean GPU draws so many: losses of power supplies and of the
/// site go with the rest, all else draws what it does in a step.
double cluster_w_at(const StepEnergy& step, double gpu_w);

/// `idle_gpu_w`: of one GPU that waits.
JobBill job_bill(const JobSummary& summary, const StepEnergy& step, double idle_gpu_w);

}  // namespace simtrain
