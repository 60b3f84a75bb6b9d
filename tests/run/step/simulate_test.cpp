#include <numeric>
#include <set>

#include <doctest/doctest.h>

#include "tests/run/scenarios.h"

namespace simtrain::testing::simulate_test {

namespace {

/// Small runs of each kind: CP, TP overlap by ring, pipeline and bulk, PP with and without
/// interleaving, FP8, TP across trays of an NVLink domain, blocking messages, recompute.
const std::vector<Case>& cases() {
  static const std::vector<Case> rows{
      {"llama31_8b_h100", "bf16-8", {}},
      {"llama31_8b_h100", "fp8-16", {}},
      {"llama31_70b_h100", "bf16-64", {"gbs=32"}},
      {"llama31_70b_h100", "fp8-128", {"gbs=64"}},
      {"llama31_405b_h100", "bf16-32", {}},
      {"llama31_405b_h100", "fp8-64", {"gbs=16"}},
      {"llama405b_a4_224", "", {"gbs=28"}},
      {"nemotron4_15b_h100", "fp8-16", {}},
      {"nemotron4_340b_h100_2411", "bf16-128", {"gbs=16"}},
      {"nemotron4_340b_gb200", "fp8-128", {"nodes=16", "gbs=16"}},
      {"nemotron4_340b_h100",
       "bf16-256",
       {"vp=1", "overlap.overlap_p2p_comm=false", "overlap.overlap_grad_reduce=false"}},
  };
  return rows;
}

}  // namespace

TEST_CASE("folded and unfolded runs agree exactly") {
  for (const Case& row : cases()) {
    CAPTURE(row.file);
    CAPTURE(row.row);
    const Scenario asked = scenario(row.file, row.row, row.settings);
    const Report folded = simulate(asked);
    const Report unfolded = simulate(asked, {true});
    CHECK(folded.engine.ranks_simulated == asked.recipe.pp());
    CHECK(unfolded.engine.ranks_simulated == asked.cluster.gpus());
    CHECK(folded.step_time_s == unfolded.step_time_s);
    CHECK(folded.engine.fingerprint == unfolded.engine.fingerprint);
  }
}

TEST_CASE("running twice gives one fingerprint and the same numbers") {
  for (const Case& row : cases()) {
    CAPTURE(row.file);
    const Scenario asked = scenario(row.file, row.row, row.settings);
    const Report one = simulate(asked);
    const Report two = simulate(asked);
    CHECK(one.engine.fingerprint == two.engine.fingerprint);
    CHECK(one.step_time_s == two.step_time_s);
    CHECK(one.breakdown == two.breakdown);
  }
}

TEST_CASE("another recipe has another fingerprint") {
  CHECK(simulate(scenario("llama31_8b_h100", "bf16-8")).engine.fingerprint !=
        simulate(scenario("llama31_8b_h100", "bf16-8", {"gbs=64"})).engine.fingerprint);
}

TEST_CASE("the breakdown sums to the step time") {
  for (const Case& row : cases()) {
    CAPTURE(row.file);
    const Report report = simulate(scenario(row.file, row.row, row.settings));
    const double sum = std::accumulate(report.breakdown.begin(), report.breakdown.end(), 0.0);
    CHECK(sum == doctest::Approx(report.step_time_s).epsilon(1e-9));
  }
}

TEST_CASE("the headline follows from the step time") {
  const Report report = simulate(scenario("llama31_8b_h100", "fp8-8"));
  CHECK(report.gpus == 8);
  CHECK(report.tokens_per_s == doctest::Approx(8192 * 128 / report.step_time_s));
  CHECK(report.peak_tflops_per_gpu == 1979);
  CHECK(report.mfu == doctest::Approx(report.tflops_per_gpu / 1979));
  CHECK(report.days_per_1t_tokens == doctest::Approx(1e12 / report.tokens_per_s / 86400));
}

TEST_CASE("communication of the step is counted by group, and none of it longer than the step") {
  const Report report = simulate(scenario("llama31_405b_h100", "bf16-64", {"gbs=16"}));
  std::set<std::string> groups;
  for (const CommunicationRow& row : report.communication) {
    groups.insert(row.group);
    CHECK(row.count > 0);
    CHECK(row.total_s >= row.exposed_s);
    CHECK(row.exposed_s >= 0);
  }
  CHECK(groups.contains("tp"));
  CHECK(groups.contains("cp"));
  CHECK(groups.contains("pp"));
  CHECK(groups.contains("dp"));
}

TEST_CASE("CUDA graphs never lengthen the step") {
  const double without = simulate(scenario("llama31_8b_h100", "bf16-8")).step_time_s;
  const double with =
      simulate(scenario("llama31_8b_h100", "bf16-8", {"cuda_graphs=true"})).step_time_s;
  CHECK(with <= without);
}

TEST_CASE("Launches that block show all of the host's time and lengthen the step by it") {
  const std::vector<std::string> settings{"overlap.tp_comm_overlap=false",
                                          "overlap.overlap_p2p_comm=false",
                                          "overlap.overlap_grad_reduce=false",
                                          "overlap.overlap_param_gather=false",
                                          "cuda_graphs=false",
                                          "cp=1"};
  std::vector<std::string> blocking = settings;
  blocking.emplace_back("cuda_launch_blocking=true");
  const Scenario asked = scenario("llama31_8b_h100", "bf16-8", blocking);
  const Report free = simulate(scenario("llama31_8b_h100", "bf16-8", settings));
  const Report blocked = simulate(asked);
  const HostLaunches& launches = asked.recipe.software.host_launches;
  const double layer_s = (launches.bf16_forward.value + launches.bf16_backward.value) *
                         to_seconds(asked.cluster.node.host_launch_latency.value);
  const double all_s = layer_s * asked.recipe.model.num_layers * blocked.micro_batches;
  CHECK(part(free.breakdown, Share::host) < 0.1 * all_s);
  CHECK(part(blocked.breakdown, Share::host) == doctest::Approx(all_s).epsilon(0.02));
  CHECK(blocked.step_time_s > free.step_time_s + 0.9 * all_s);
  blocking[4] = "cuda_graphs=true";
  CHECK(simulate(scenario("llama31_8b_h100", "bf16-8", blocking)).step_time_s <
        free.step_time_s + 0.1 * all_s);
}

TEST_CASE("Launches that block leave no exchange of context parallelism hidden") {
  const std::vector<std::string> settings{"cp=8", "overlap.overlap_grad_reduce=false",
                                          "overlap.overlap_param_gather=false"};
  std::vector<std::string> blocking = settings;
  blocking.emplace_back("cuda_launch_blocking=true");
  const Report free = simulate(scenario("llama31_8b_h100", "bf16-8", settings));
  const Report blocked = simulate(scenario("llama31_8b_h100", "bf16-8", blocking));
  const auto exposed = [](const Report& report) {
    return part(report.breakdown, Share::context_parallel);
  };
  CHECK(exposed(blocked) > 5 * exposed(free));
  for (const CommunicationRow& row : blocked.communication) {
    if (row.group == "cp") CHECK(row.exposed_s == doctest::Approx(row.total_s).epsilon(0.01));
  }
}

TEST_CASE("A GPU of fewer SMs computes longer, one of more less, in GEMMs and attention") {
  const auto with = [](const std::string& sms) {
    return simulate(scenario("llama31_8b_h100", "bf16-64", {"cp=1", "hardware.sm_count=" + sms}));
  };
  const Report half = with("66");
  const Report own = with("132");
  const Report twice = with("264");
  CHECK(own.step_time_s == simulate(scenario("llama31_8b_h100", "bf16-64", {"cp=1"})).step_time_s);
  for (const Share share : {Share::gemm, Share::attention}) {
    const double now = part(own.breakdown, share);
    CHECK(part(half.breakdown, share) > 1.3 * now);
    CHECK(part(half.breakdown, share) < 2.1 * now);
    CHECK(part(twice.breakdown, share) < 0.85 * now);
    CHECK(part(twice.breakdown, share) > 0.45 * now);
  }
}

TEST_CASE("Mamba's heads cross context-parallel ranks and back") {
  const std::vector<std::string> layers{
      "training.seq_length=32768", "gbs=64", "recompute=full",
      "model_overrides.layers=[{blocks: [mamba, mlp], repeat: 32}]",
      "model_overrides.mamba={mamba_num_heads: 128, mamba_head_dim: 64, mamba_state_dim: 128, "
      "mamba_num_groups: 8}"};
  const auto with = [&](const std::string& cp) {
    std::vector<std::string> settings = layers;
    settings.push_back("cp=" + cp);
    return simulate(scenario("llama31_8b_h100", "bf16-64", settings));
  };
  CHECK(part(with("1").breakdown, Share::context_parallel) == 0);
  const Report cut = with("4");
  CHECK(part(cut.breakdown, Share::context_parallel) > 0);
  int exchanges = 0;
  for (const CommunicationRow& row : cut.communication) {
    if (row.group != "cp") continue;
    CHECK(row.collective == Collective::all_to_all);
    ++exchanges;
  }
  CHECK(exchanges == 2);  // x, z, B, C and dt there, the output and z back
}

}  // namespace simtrain::testing::simulate_test
