// Faults that come and go: what they do to the step in which they begin or end, and to those after.
#include <numeric>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/run/results/sampled_steps.h"
#include "sim/run/simulate.h"
#include "tests/run/report_text.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::changing_faults_test {

namespace {

/// TP4 CP2 PP4 on eight nodes, with a few micro-batches.
Report llama_70b(const std::string& faults, bool unfold = false) {
  return simulate(scenario("llama31_70b_h100", "bf16-64", {"gbs=16", "cluster.faults=" + faults}),
                  {unfold});
}

/// Eight replicas on one node.
Report llama_8b(const std::string& faults) {
  return simulate(scenario("llama31_8b_h100", "bf16-8", {"cluster.faults=" + faults}));
}

std::string slow_gpu(double start_s, double for_s, double slowdown = 1.5) {
  return fmt::format(
      "{{gpus: [{{host: 0, gpu: 3, slowdown: {}, start: {:.9f} s, for: {:.9f} s}}]}}", slowdown,
      start_s, for_s);
}

std::string weak_nic(double share, double start_s, double for_s) {
  return fmt::format(
      "{{nics: [{{host: 5, nic: 2, bandwidth_share: {}, start: {:.9f} s, for: {:.9f} s}}]}}", share,
      start_s, for_s);
}

double whole(const Report& report) {
  return std::accumulate(report.breakdown.begin(), report.breakdown.end(), 0.0);
}

}  // namespace

// One layer after the other on the slow GPU, for which the others wait in the reductions: what it
// computes in W seconds would have taken W / 1.5.
TEST_CASE("a GPU that throttles for a while loses that while, less what it does in it") {
  const double healthy = llama_8b("{}").step_time_s;
  const double window = 0.3 * healthy;
  const double slowed = llama_8b(slow_gpu(0.2 * healthy, window)).step_time_s;
  CHECK(slowed - healthy == doctest::Approx(window * (1 - 1 / 1.5)).epsilon(0.02));
}

TEST_CASE("the longer a fault holds, the longer the step takes, up to that of one for good") {
  const double healthy = llama_70b("{}").step_time_s;
  const double for_good = llama_70b("{gpus: [{host: 0, gpu: 3, slowdown: 1.5}]}").step_time_s;
  double last = healthy;
  for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8}) {
    const double step = llama_70b(slow_gpu(0.1 * healthy, share * healthy)).step_time_s;
    CHECK(step >= last);
    last = step;
  }
  CHECK(last > healthy);
  CHECK(last < for_good);
}

TEST_CASE("a step in which faults come and go is the same folded and unfolded") {
  const double healthy = llama_70b("{}").step_time_s;
  for (const std::string& faults :
       {slow_gpu(0.3 * healthy, 0.4 * healthy), weak_nic(0.5, 0.2 * healthy, 0.5 * healthy),
        weak_nic(0, 0.85 * healthy, 0.1 * healthy),
        fmt::format(
            "{{gpus: [{{host: 3, gpu: 5, slowdown: 1.3, start: {0:.6f} s}}, {{host: 3, gpu: "
            "5, slowdown: 1.2, for: {0:.6f} s}}], nics: [{{nic: 1, bandwidth_share: 0.25, "
            "start: {0:.6f} s, for: 0.1 s}}]}}",
            0.5 * healthy)}) {
    CAPTURE(faults);
    const Report folded = llama_70b(faults);
    const Report unfolded = llama_70b(faults, true);
    CHECK(text_of(folded) == text_of(unfolded));
    CHECK(folded.engine.ranks_simulated < folded.gpus);
    CHECK(unfolded.engine.ranks_simulated == unfolded.gpus);
    CHECK(whole(folded) == doctest::Approx(folded.step_time_s).epsilon(1e-9));
    CHECK(folded.step_time_s > healthy);
  }
}

TEST_CASE("what a step does not meet unfolds nothing") {
  const Report healthy = llama_70b("{}");
  const double step = healthy.step_time_s;
  const Report later = llama_70b(slow_gpu(1.5 * step, step));
  CHECK(text_of(later) == text_of(healthy));
  CHECK(later.engine.ranks_simulated == healthy.engine.ranks_simulated);
  CHECK(later.engine.events == healthy.engine.events);
}

TEST_CASE("a fault longer than a step covers those after it, and the run is as ever when it ends") {
  const double healthy = llama_8b("{}").step_time_s;
  const double slow = llama_8b("{gpus: [{host: 0, gpu: 3, slowdown: 1.5}]}").step_time_s;
  const double start = 2.5 * healthy;
  const double length = 4 * slow;
  const Report report = llama_8b(slow_gpu(start, length));
  const std::vector<StepsInRow>& rows = report.steps_in_row;
  REQUIRE(rows.size() == 5);
  CHECK(report.step_time_s == healthy);
  CHECK(rows[0].count == 2);
  CHECK(rows[0].slower_s == 0);
  CHECK(rows[1].count == 1);  // in which it begins
  CHECK(rows[1].step_time_s > healthy);
  CHECK(rows[1].step_time_s < slow);
  CHECK(rows[2].first == 4);
  CHECK(rows[2].count == 3);
  CHECK(rows[2].step_time_s == slow);
  CHECK(rows[2].slower_s == doctest::Approx(slow - healthy));
  CHECK(rows[3].step_time_s > healthy);  // in which it ends
  CHECK(rows[4].count == 0);
  CHECK(rows[4].step_time_s == healthy);
  double time = 0;
  for (const StepsInRow& row : rows) {
    CHECK(row.start_s == doctest::Approx(time).epsilon(1e-12));
    time += row.step_time_s * static_cast<double>(row.count);
  }
  // Work that is done at 1 / 1.5 of the speed while it holds.
  CHECK(time - 7 * healthy == doctest::Approx(length * (1 - healthy / slow)).epsilon(0.01));
}

TEST_CASE("steps that are drawn are slower where the run's are") {
  const double healthy = llama_8b("{}").step_time_s;
  const Report report = llama_8b(slow_gpu(1.01 * healthy, healthy));
  const std::vector<double> drawn = sampled_steps(report, 5, 0).seconds;
  const std::vector<double> usual = sampled_steps(llama_8b("{}"), 5, 0).seconds;
  CHECK(drawn[0] == usual[0]);
  CHECK(drawn[1] > usual[1]);
  CHECK(drawn[4] == usual[4]);
}

TEST_CASE("a NIC that is down for a while moves its traffic to the next one and back") {
  const double healthy = llama_70b("{}").step_time_s;
  const Report down = llama_70b("{nics: [{host: 5, nic: 2, bandwidth_share: 0}]}");
  const Report flap = llama_70b(weak_nic(0, 0.2 * healthy, 0.5 * healthy));
  CHECK(flap.step_time_s >= healthy);
  CHECK(flap.step_time_s <= down.step_time_s);
}

TEST_CASE("the report says when a fault holds") {
  CHECK(llama_8b(slow_gpu(1, 30)).faults ==
        std::vector<std::string>{
            "GPU 3 of host 0: kernels take 1.5 times as long, from 1 s on, for 30 s"});
}

}  // namespace simtrain::testing::changing_faults_test
