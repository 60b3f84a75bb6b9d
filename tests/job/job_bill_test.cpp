#include "sim/job/goodput/job_bill.h"

#include <doctest/doctest.h>

namespace simtrain::testing::job_bill_test {

namespace {

/// 16 GPUs on two nodes, 10 s a step: GPUs 800 W, hosts 1 kW, supplies of 80 %, PUE 1.5.
StepEnergy step_of() {
  StepEnergy step;
  step.step_s = 10;
  step.gpus = 16;
  step.nodes = 2;
  step.pue = 1.5;
  const auto set = [&](PowerPart part, double watts) {
    step.joules[static_cast<std::size_t>(part)] = watts * step.step_s;
  };
  set(PowerPart::gpus, 16 * 800);
  set(PowerPart::hosts, 2 * 1000);
  set(PowerPart::power_supplies, (16 * 800 + 2 * 1000) * 0.25);
  set(PowerPart::switches, 100);
  set(PowerPart::site, step.total_joules() / step.step_s * 0.5);
  return step;
}

JobSummary summary_of_hours(double training, double waiting, double spare_gpu_hours) {
  JobSummary summary;
  summary.used[TimeUse::training] = training * 3600;
  summary.used[TimeUse::waiting] = waiting * 3600;
  summary.gpu_hours = 16 * (training + waiting);
  summary.spare_gpu_hours = spare_gpu_hours;
  return summary;
}

constexpr double kIdle = 100;
constexpr double kWaiting = ((16 * kIdle + 2 * 1000) * 1.25 + 100) * 1.5;

}  // namespace

TEST_CASE("a job that only trains draws what its steps draw") {
  const StepEnergy step = step_of();
  const JobBill bill = job_bill(summary_of_hours(10, 0, 0), step, kIdle);
  CHECK(bill.steps_joules == doctest::Approx(step.cluster_w() * 36000));
  CHECK(bill.waiting_joules == doctest::Approx(0));
}

TEST_CASE("other time and spare nodes draw what hosts, switches and idle GPUs do") {
  const JobBill bill = job_bill(summary_of_hours(10, 2, 16), step_of(), kIdle);
  CHECK(bill.waiting_joules == doctest::Approx(kWaiting * 3 * 3600));
}

TEST_CASE("prices are those of a step, by GPU hours and by joules") {
  StepEnergy step = step_of();
  step.cost = {16 * 10 / 3600.0 * 2.5, step.total_joules() / 3.6e6 * 0.1,
               step.total_joules() / 3.6e6 * 0.4};
  const JobBill bill = job_bill(summary_of_hours(10, 2, 16), step, kIdle);
  CHECK(bill.cost.gpu_usd == doctest::Approx(2.5 * (16 * 12 + 16)));
  CHECK(bill.cost.electricity_usd == doctest::Approx(bill.joules() / 3.6e6 * 0.1));
  CHECK(bill.cost.carbon_kg == doctest::Approx(bill.joules() / 3.6e6 * 0.4));
}

}  // namespace simtrain::testing::job_bill_test
