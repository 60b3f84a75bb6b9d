// Steps whose passes run in pairs (overlap_moe_expert_parallel_comm), and what is reported of them.
#include <numeric>

#include <doctest/doctest.h>

#include "sim/run/analysis/step_work.h"
#include "sim/run/analysis/waterfall.h"
#include "sim/run/simulate.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::exchange_overlap_run_test {

namespace {

const std::string kPairs = "overlap.overlap_moe_expert_parallel_comm=true";
const std::string kDelayed = "overlap.delay_wgrad_compute=true";

/// DeepSeek-V2-Lite with its experts over four nodes.
Scenario deepseek(const std::vector<std::string>& settings) {
  std::vector<std::string> all{"cluster.name=dgx-superpod-h100",
                               "nodes=4",
                               "gbs=128",
                               "mbs=1",
                               "model=deepseek-v2-lite",
                               "model_overrides={}",
                               "ep=32",
                               "parallelism.expert_tensor_parallel_size=1",
                               "moe={moe_token_dispatcher_type: alltoall}"};
  all.insert(all.end(), settings.begin(), settings.end());
  return scenario("mixtral_8x7b_h200", "bf16-256", all);
}

double share(const Report& report, Share of) { return part(report.breakdown, of); }

double sum(const Report& report) {
  return std::accumulate(report.breakdown.begin(), report.breakdown.end(), 0.0);
}

}  // namespace

TEST_CASE("passes in pairs hide the exchange of tokens, and cost a micro-batch of memory") {
  for (const std::vector<std::string>& plan :
       {std::vector<std::string>{},
        {"model=qwen3-30b-a3b", "pp=2", "vp=2", "ep=16", "overlap.overlap_p2p_comm=true"}}) {
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), plan.begin(), plan.end());
      return simulate(deepseek(more));
    };
    const Report apart = with({});
    const Report pairs = with({kPairs});
    const Report delayed = with({kPairs, kDelayed});
    CHECK(share(apart, Share::expert_parallel) > 0.2 * apart.step_time_s);
    CHECK(pairs.step_time_s < 0.9 * apart.step_time_s);
    CHECK(share(pairs, Share::expert_parallel) < 0.85 * share(apart, Share::expert_parallel));
    CHECK(delayed.step_time_s < 1.03 * pairs.step_time_s);  // little where the exchange binds
    CHECK(pairs.fullest_stage().activations > apart.fullest_stage().activations);
    CHECK(pairs.mfu * pairs.step_time_s == doctest::Approx(apart.mfu * apart.step_time_s));
    for (const Report& report : {apart, pairs, delayed}) {
      CHECK(sum(report) == doctest::Approx(report.step_time_s));
    }
  }
}

TEST_CASE("what a pair moves is what its passes move") {
  const auto bytes = [](const Report& report) {
    double all = 0;
    for (const CommunicationRow& row : report.communication)
      all += static_cast<double>(row.bytes.value()) * static_cast<double>(row.count);
    return all;
  };
  const Report apart = simulate(deepseek({}));
  const Report pairs = simulate(deepseek({kPairs}));
  CHECK(bytes(pairs) == doctest::Approx(bytes(apart)));
}

TEST_CASE("shared experts beside the exchange take less time than before it") {
  const double before = simulate(deepseek({})).step_time_s;
  const double beside = simulate(deepseek({"moe.moe_shared_expert_overlap=true"})).step_time_s;
  CHECK(beside < before);
  CHECK(beside > 0.8 * before);
}

TEST_CASE("the waterfall of paired passes sums to the step") {
  const Scenario pairs = deepseek({kPairs});
  const SimulatedStep simulated = simulate_step(pairs);
  const Report report = report_of(simulated);
  const Waterfall fall = waterfall(simulated, report);
  double sum = fall.useful_s;
  for (const WaterfallLoss& loss : fall.losses) sum += loss.seconds;
  CHECK(sum == doctest::Approx(report.step_time_s).epsilon(1e-9));
}

TEST_CASE("kernels and transfers on the path of paired passes sum to the breakdown") {
  const Scenario pairs = deepseek({kPairs, kDelayed});
  const SimulatedStep simulated = simulate_step(pairs);
  const Report report = report_of(simulated);
  const StepWork work = step_work(simulated);
  Breakdown path{};
  for (const KernelWork& row : work.kernels) part(path, row.share) += row.path_s;
  for (const TransferWork& row : work.transfers) part(path, row.share) += row.path_s;
  for (const Share of : {Share::gemm, Share::attention, Share::expert_parallel})
    CHECK(part(path, of) == doctest::Approx(share(report, of)).epsilon(1e-6));
}

}  // namespace simtrain::testing::exchange_overlap_run_test
