#include "sim/run/analysis/step_work.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "tests/run/scenarios.h"
#include "tests/run/work_sums.h"

namespace simtrain::testing::step_work_test {

namespace {

SimulatedStep step_of(const Scenario& scenario) { return simulate_step(scenario); }

}  // namespace

TEST_CASE("rows on the critical path sum to the breakdown, share by share") {
  for (const Case& which :
       {Case{"llama31_8b_h100", "bf16-8", {}}, Case{"llama31_70b_h100", "fp8-64", {}},
        Case{"llama405b_a4_224", "", {}}, Case{"llama31_70b_h100", "bf16-64", {"gbs=16", "vp=2"}},
        Case{"llama31_8b_h100", "bf16-8", {"sharding.strategy=fsdp2"}}}) {
    CAPTURE(which.file);
    CAPTURE(which.row);
    const Scenario asked = scenario(which.file, which.row, which.settings);
    const SimulatedStep step = step_of(asked);
    CHECK(unlike_breakdown(step_work(step), report_of(step)) == "");
  }
}

TEST_CASE("no kernel is faster than the peak, and the busiest rank's times are its calls'") {
  const Scenario asked = scenario("llama31_70b_h100", "fp8-64");
  const SimulatedStep step = step_of(asked);
  const StepWork work = step_work(step);
  REQUIRE(work.kernels.size() > 20);
  for (const KernelWork& row : work.kernels) {
    CAPTURE(row.module);
    CHECK(row.total_s == doctest::Approx(row.each_s * static_cast<double>(row.calls)));
    CHECK(row.path_s >= 0);
    if (row.share_of_peak) CHECK(*row.share_of_peak <= 1);
    if (row.share_of_peak) CHECK(*row.share_of_peak > 0);
  }
  const double step_s = report_of(step).step_time_s;
  double busy = 0;
  for (const KernelWork& row : work.kernels) busy += row.total_s;
  CHECK(busy <= step_s);
  CHECK(busy > 0.5 * step_s);
}

TEST_CASE("what bounds a kernel follows from its shape") {
  const Scenario asked = scenario("llama31_70b_h100", "fp8-64");
  const SimulatedStep step = step_of(asked);
  bool launch = false;
  for (const KernelWork& row : step_work(step).kernels) {
    CAPTURE(row.module);
    launch = launch || row.bound == KernelBound::launch;
    if (row.module == "linear_fc1" && row.share == Share::gemm)
      CHECK(row.bound == KernelBound::compute);
    if (row.module == "input_layernorm") CHECK(row.bound == KernelBound::memory);
  }
  CHECK(launch);  // scales of FP8, of a few bytes
}

TEST_CASE("calls and times of transfers are those of the communication table") {
  const Scenario asked = scenario("llama405b_a4_224", "");
  const SimulatedStep step = step_of(asked);
  const StepWork work = step_work(step);
  for (const CommunicationRow& row : report_of(step).communication) {
    const auto found =
        std::find_if(work.transfers.begin(), work.transfers.end(), [&](const TransferWork& other) {
          return other.group == row.group && other.cost.collective == row.collective &&
                 other.cost.algorithm == row.algorithm && other.cost.protocol == row.protocol &&
                 other.cost.bytes == row.bytes;
        });
    REQUIRE(found != work.transfers.end());
    CHECK(found->calls == row.count);
    CHECK(found->total_s == doctest::Approx(row.total_s));
  }
}

TEST_CASE("a slower NIC lowers the bus bandwidth of what it bounds") {
  const auto gradients = [](const std::vector<std::string>& settings) {
    const Scenario asked = scenario("llama31_8b_h100", "bf16-64", settings);
    const SimulatedStep step = step_of(asked);
    const StepWork work = step_work(step);
    const auto largest = std::max_element(
        work.transfers.begin(), work.transfers.end(), [](const auto& a, const auto& b) {
          return (a.group == "dp") < (b.group == "dp") ||
                 ((a.group == "dp") == (b.group == "dp") && a.total_s < b.total_s);
        });
    REQUIRE(largest->group == "dp");
    return *largest;
  };
  const TransferWork fast = gradients({});
  const TransferWork slow = gradients({"hardware.nic_bandwidth=100Gb/s"});
  CHECK(slow.bus_bandwidth() < 0.5 * fast.bus_bandwidth());
  CHECK((slow.bound == TransferBound::nic || slow.bound == TransferBound::shared_nic));
}

}  // namespace simtrain::testing::step_work_test
