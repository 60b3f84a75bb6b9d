// Steps of mixtures of experts: what imbalance, capacity, dispatchers and the host do to them.
#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::experts_run_test {

namespace {

Report mixtral(std::vector<std::string> settings) {
  settings.insert(settings.begin(), {"nodes=4", "gbs=64"});
  return simulate(scenario("mixtral_8x7b_h200", "bf16-256", settings));
}

double share(const Report& report, Share of) { return part(report.breakdown, of); }

}  // namespace

TEST_CASE("a step waits for the busiest rank, and says so") {
  const std::string dropless = "moe={moe_token_dispatcher_type: alltoall";
  const Report even = mixtral({dropless + ", moe_load_imbalance: 1}"});
  const Report random = mixtral({dropless + "}"});
  const Report skewed = mixtral({dropless + ", moe_load_imbalance: 1.5}"});
  CHECK(share(even, Share::routing_imbalance) == 0);
  CHECK(share(random, Share::routing_imbalance) > 0);
  CHECK(share(skewed, Share::routing_imbalance) > 0.2 * share(even, Share::gemm));
  CHECK(even.step_time_s < random.step_time_s);
  CHECK(random.step_time_s < skewed.step_time_s);
  CHECK(random.step_time_s < 1.05 * even.step_time_s);
  CHECK(skewed.fullest_stage().total() > even.fullest_stage().total());
}

TEST_CASE(
    "experts over two nodes cost more than in one, less by a library that sends a token once") {
  const std::string two = "cluster.rank_order=round-robin";  // every EP group is on four nodes
  const double near = mixtral({}).step_time_s;
  const double far = mixtral({two}).step_time_s;
  const double once =
      mixtral({two, "moe={moe_token_dispatcher_type: flex, moe_expert_capacity_factor: 1.0}"})
          .step_time_s;
  CHECK(far > 1.1 * near);
  CHECK(once < far);
}

TEST_CASE("the work of a step does not depend on how its experts are dealt") {
  const Report whole = mixtral({"ep=1", "parallelism.expert_tensor_parallel_size=1"});
  const Report dealt = mixtral({"ep=8"});
  CHECK(whole.model_flops_per_sample == dealt.model_flops_per_sample);
  CHECK(share(whole, Share::expert_parallel) == 0);
  CHECK(share(dealt, Share::expert_parallel) > 0);
  CHECK(whole.fullest_stage().weights > 4 * dealt.fullest_stage().weights);
}

TEST_CASE("CUDA graphs hold experts where their rows are known or have a budget") {
  const std::string small =
      "model_overrides={vocab_size: 50304, experts: {num_moe_experts: 128, moe_router_topk: 2, "
      "moe_ffn_hidden_size: 128}}";
  // So short that the host, not the kernels, holds up attention.
  const std::string sequences = "training.seq_length=1024";
  const auto hybridep = [](const std::string& more) {
    return "moe={moe_token_dispatcher_type: flex, moe_flex_dispatcher_backend: hybridep" + more +
           "}";
  };
  const Report launched = mixtral({small, sequences, hybridep(""), "mbs=1"});
  const Report partly = mixtral({small, sequences, hybridep(""), "mbs=1", "cuda_graphs=true"});
  const Report whole = mixtral({small, sequences, hybridep(", moe_expert_rank_capacity_factor: 2"),
                                "mbs=1", "cuda_graphs=true"});
  const Report waits_not =
      mixtral({small, sequences, hybridep(", moe_expert_rank_capacity_factor: 2"), "mbs=1"});
  CHECK(share(launched, Share::host) > 0.05 * launched.step_time_s);
  CHECK(share(partly, Share::host) > 0.02 * partly.step_time_s);
  CHECK(share(partly, Share::host) < share(launched, Share::host));
  CHECK(share(whole, Share::host) < 0.01 * whole.step_time_s);
  CHECK(whole.step_time_s < partly.step_time_s);
  CHECK(partly.step_time_s < launched.step_time_s);
  CHECK(waits_not.step_time_s < launched.step_time_s);
}

TEST_CASE("experts that are full hold up a step, whatever the others lack") {
  const auto step_s = [](const std::string& routing) {
    return mixtral({"moe.routing=" + routing}).step_time_s;
  };
  const double even = step_s("{law: balanced}");
  CHECK(step_s("{histogram: [1, 1, 0, 0, 0, 0, 0, 0]}") == doctest::Approx(even).epsilon(0.02));
  CHECK(step_s("{law: power_law, exponent: 1.2}") == doctest::Approx(even).epsilon(0.02));
}

TEST_CASE("what runs again is launched again") {
  const auto step_s = [](const std::string& recompute) {
    return simulate(scenario("llama31_8b_h100", "bf16-8",
                             {"hardware.host_launch_latency=100us", "recompute=" + recompute}))
        .step_time_s;
  };
  CHECK(step_s("full") > 1.2 * step_s("none"));
}

}  // namespace simtrain::testing::experts_run_test
