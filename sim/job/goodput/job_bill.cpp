#include "sim/job/goodput/job_bill.h"

#include "sim/core/quantity.h"

namespace simtrain {
namespace {

/// Seconds of steps.
double in_steps(const UsedTime& used) {
  return used[TimeUse::training] + used[TimeUse::evaluation] + used[TimeUse::slowed] +
         used[TimeUse::lost_work];
}

}  // namespace

double cluster_w_at(const StepEnergy& step, double gpu_w) {
  const double supplies = step.part(PowerPart::power_supplies);
  const double used = step.node_joules() - supplies;
  const double then = used - step.part(PowerPart::gpus) + gpu_w * step.gpus * step.step_s;
  const double network = step.part(PowerPart::switches) + step.part(PowerPart::transceivers);
  return (then * (1 + supplies / used) + network) * step.pue / step.step_s;
}

JobBill job_bill(const JobSummary& summary, const StepEnergy& step, double idle_gpu_w) {
  const double gpu_hours = summary.gpu_hours + summary.spare_gpu_hours;
  const double steps_s = in_steps(summary.used);
  const double waiting_s = gpu_hours * kSecondsPerHour / step.gpus - steps_s;
  JobBill bill;
  bill.steps_joules = steps_s * step.cluster_w();
  bill.waiting_joules = waiting_s * cluster_w_at(step, idle_gpu_w);
  const double hours_of_step = step.gpus * step.step_s / kSecondsPerHour;
  const double of_step = bill.joules() / step.total_joules();
  bill.cost = {step.cost.gpu_usd * gpu_hours / hours_of_step, step.cost.electricity_usd * of_step,
               step.cost.carbon_kg * of_step};
  return bill;
}

}  // namespace simtrain
