// A job of which only a part is regular: one rank is simulated for each class, and each rank of the
// unfolded run goes through the step exactly as its representative.
#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "tests/run/report_text.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::partial_folding_test {

namespace {

/// TP over two GB200 trays whose NVLink domains end inside a stage; hosts drawn from three units;
/// every ring over the network; CP rings that straddle nodes; fabrics with fewer links up than
/// down.
const std::vector<Case>& cases() {
  static const std::vector<Case> rows{
      {"nemotron4_340b_gb200", "fp8-128", {"gbs=32"}},
      {"llama31_70b_h100",
       "bf16-64",
       {"gbs=16", "cluster.available_nodes=80", "cluster.placement={kind: random, seed: 3}"}},
      {"llama31_70b_h100",
       "bf16-64",
       {"gbs=32", "tp=8", "pp=2", "vp=1", "cluster.available_nodes=80",
        "cluster.placement={kind: random, seed: 5}"}},
      {"llama31_405b_h100",
       "bf16-64",
       {"gbs=16", "cluster.available_nodes=40",
        "cluster.placement={kind: fragmented, seed: 2, free: 0.5}"}},
      {"llama31_70b_h100", "bf16-64", {"gbs=16", "cluster.rank_order=round-robin"}},
      {"llama31_8b_h100", "bf16-32", {"nodes=3", "tp=2", "cp=4", "gbs=24"}},
      {"llama31_8b_h100",
       "bf16-32",
       {"nodes=3", "tp=2", "cp=3", "gbs=32", "training.seq_length=12288"}},
      {"mixtral_8x7b_h200", "bf16-256", {"nodes=4", "gbs=64"}},
      {"mixtral_8x7b_h200",
       "bf16-256",
       {"nodes=4", "gbs=32", "tp=2", "pp=2", "parallelism.sequence_parallel=true", "ep=4",
        "parallelism.expert_tensor_parallel_size=1"}},
      {"mixtral_8x7b_h200",
       "bf16-256",
       {"nodes=3", "gbs=36", "tp=2", "cp=2", "parallelism.sequence_parallel=true", "ep=8",
        "parallelism.expert_tensor_parallel_size=1", "moe.moe_token_dispatcher_type=flex"}},
      {"mixtral_8x7b_h200",
       "bf16-256",
       {"nodes=4", "gbs=32", "tp=4", "parallelism.sequence_parallel=true", "ep=2",
        "moe.moe_token_dispatcher_type=allgather", "cluster.rank_order=round-robin"}},
      // Links between switches can bind.
      {"llama31_70b_h100", "bf16-64", {"gbs=16", "cluster.name=clos-h100-2to1"}},
      {"llama31_405b_h100", "bf16-64", {"gbs=16", "cluster.name=clos-h100-4to1"}},
      {"llama31_70b_h100",
       "bf16-64",
       {"gbs=32", "tp=2", "pp=2", "vp=1", "cp=2", "nodes=16", "cluster.available_nodes=64",
        "cluster.name=clos-h100-2to1", "cluster.placement={kind: spread}"}},
      {"llama31_405b_h100",
       "bf16-512",
       {"gbs=64", "cluster.name=clos-h100-4to1", "cluster.available_nodes=256",
        "cluster.placement={kind: spread}"}},
      {"mixtral_8x7b_h200",
       "bf16-256",
       {"nodes=8", "gbs=64", "tp=2", "parallelism.sequence_parallel=true", "ep=8",
        "parallelism.expert_tensor_parallel_size=1", "cluster.name=clos-h100-4to1"}},
  };
  return rows;
}

}  // namespace

TEST_CASE("partly folded and unfolded runs agree exactly") {
  for (const Case& row : cases()) {
    CAPTURE(row.file);
    CAPTURE(row.settings.back());
    const Scenario asked = scenario(row.file, row.row, row.settings);
    const Report folded = simulate(asked);
    const Report unfolded = simulate(asked, {true});
    CHECK(folded.engine.ranks_simulated < asked.gpus());
    CHECK(unfolded.engine.ranks_simulated == asked.gpus());
    CHECK(folded.step_time_s == unfolded.step_time_s);
    CHECK(folded.engine.fingerprint == unfolded.engine.fingerprint);
  }
}

TEST_CASE("every rank's spans are those of its representative") {
  for (const Case& row : cases()) {
    CAPTURE(row.file);
    CAPTURE(row.settings.back());
    const Scenario asked = scenario(row.file, row.row, row.settings);
    const SimulatedStep folded = simulate_step(asked);
    const SimulatedStep unfolded = simulate_step(asked, {true});
    std::map<int, std::uint32_t> simulated;
    for (std::uint32_t i = 0; i < folded.plan.ranks.size(); ++i)
      simulated[folded.plan.ranks[i].rank] = i;
    std::size_t different = 0;
    for (std::uint32_t rank = 0; rank < unfolded.plan.ranks.size(); ++rank) {
      const auto& own = unfolded.timeline.spans[rank];
      const auto& theirs =
          folded.timeline.spans[simulated.at(folded.classes.step_representative[rank])];
      REQUIRE(own.size() == theirs.size());
      for (std::size_t op = 0; op < own.size(); ++op) {
        if (own[op].start != theirs[op].start || own[op].end != theirs[op].end) ++different;
      }
    }
    CHECK(different == 0);
  }
}

// CP rings that leave their nodes by other GPUs' NICs, in nodes whose number divides nothing; a NIC
// that is slow where a ring enters a node, and nowhere on the way out.
TEST_CASE("rings that share NICs or cross them one way fold exactly") {
  for (const std::vector<std::string>& settings : std::vector<std::vector<std::string>>{
           {"nodes=5", "tp=2", "pp=1", "cp=4", "gbs=10", "cluster.rank_order=round-robin"},
           {"nodes=3", "tp=4", "pp=1", "cp=2", "gbs=6", "cluster.rank_order=round-robin"},
           {"nodes=2", "tp=1", "cp=16", "gbs=2", "training.seq_length=16384",
            "cluster.faults.nics=[{host: 1, nic: 0, bandwidth_share: 0.1}]"},
           {"nodes=2", "tp=2", "cp=4", "gbs=4",
            "cluster.faults.nics=[{nic: 1, bandwidth_share: 0}]"}}) {
    CAPTURE(settings.back());
    std::vector<std::string> all = settings;
    all.emplace_back("model_overrides.num_layers=2");
    const Scenario asked = scenario("llama31_8b_h100", "bf16-8", all);
    CHECK(text_of(simulate(asked)) == text_of(simulate(asked, {true})));
  }
}

TEST_CASE("a domain that ends inside a stage splits it, and nothing else") {
  // 32 trays are two NVLink domains of 18 trays: the third of four stages lies in both.
  const Report report =
      simulate(scenario("nemotron4_340b_gb200", "fp8-128",
                        {"gbs=32", "cluster.placement={kind: compact, segment: 1}"}));
  CHECK(report.engine.ranks_simulated == 8);
}

TEST_CASE("a rank that represents one of another ring sends its messages over its own NIC") {
  const Scenario slow_nics = scenario(
      "llama31_8b_h100", "bf16-8",
      {"cluster.name=gcp-a3-ultra", "cluster.nodes=4", "tp=8", "cp=4", "pp=1", "gbs=1",
       "training.seq_length=16384", "model_overrides.num_layers=2",
       "overlap.overlap_grad_reduce=true", "overlap.overlap_param_gather=true",
       "optimizer.distributed=true", "parallelism.sequence_parallel=true",
       "optimizer.bucket_size_mb=60",
       "cluster.faults={gpus: [{host: \"1\", gpu: 0, slowdown: 1.3}], nics: [{host: \"2\", nic: 4, "
       "bandwidth_share: 0.25}, {host: \"3\", nic: 3, bandwidth_share: 0.25}]}"});
  const Report folded = simulate(slow_nics);
  const Report unfolded = simulate(slow_nics, {true});
  CHECK(folded.engine.ranks_simulated < unfolded.engine.ranks_simulated);
  CHECK(folded.step_time_s == unfolded.step_time_s);
}

}  // namespace simtrain::testing::partial_folding_test
