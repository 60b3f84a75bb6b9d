// Plans of mixtures that cannot be: one line each.
#include "tests/cli/bad_edit.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::bad_experts_test {

namespace {

/// A setting over the example, and what refuses it.
struct Refused {
  std::string setting;
  std::string sentence;  ///< behind the place and the key
};

}  // namespace

TEST_CASE("Experts must divide over EP and ETP, and these over the ranks of a stage") {
  const std::string ep = "parallelism.expert_model_parallel_size";
  const std::string etp = "parallelism.expert_tensor_parallel_size";
  const std::string file = source_dir() + "/scenarios/mixtral_8x7b_h200.yaml";
  for (const Refused& row : {
           Refused{"ep=3", ":1:4: " + ep + ": 3 does not divide the experts (8)"},
           Refused{"ep=16", ":1:4: " + ep + ": 16 does not divide the experts (8)"},
           Refused{"ep=0", ":1:4: " + ep + ": '0' is out of range; 1 to 1000000 would do"},
           Refused{etp + "=3", ":1:41: " + etp + ": 3 does not divide moe_ffn_hidden_size (14336)"},
           Refused{etp + "=512", ": " + ep +
                                     ": 8 x ETP 512 = 4096 does not divide the 256 GPUs of a "
                                     "pipeline stage"},
           Refused{"moe.moe_flex_dispatcher_num_sms=20",
                   ":1:33: moe.moe_flex_dispatcher_num_sms: is of the flex dispatcher; "
                   "moe_token_dispatcher_type says another"},
           Refused{"moe.moe_expert_capacity_factor=0",
                   ":1:32: moe.moe_expert_capacity_factor: '0' is out of range; 0.1 to 1000 would "
                   "do"},
           Refused{"moe.moe_expert_rank_capacity_factor=1.5",
                   ":1:37: moe.moe_expert_rank_capacity_factor: is of the flex dispatcher with "
                   "HybridEP; moe_expert_capacity_factor would do"},
           Refused{"moe.moe_load_imbalance=0.5",
                   ":1:24: moe.moe_load_imbalance: '0.5' is out of range; 1 to 1000 would do"},
           Refused{"moe.moe_token_dispatcher_type=ring",
                   ":1:31: moe.moe_token_dispatcher_type: 'ring' is not known here; known are "
                   "allgather, alltoall, flex"},
           Refused{"moe.moe_shared_expert_overlap=true",
                   "moe.moe_shared_expert_overlap: is of shared experts, which mixtral-8x7b does "
                   "not have"},
           Refused{"overlap.delay_wgrad_compute=true",
                   "overlap.delay_wgrad_compute: is of overlap_moe_expert_parallel_comm, which is "
                   "false"},
       }) {
    CAPTURE(row.setting);
    const Outcome outcome = run_simtrain({"run", file, "--row", "bf16-256", "--set", row.setting});
    CHECK(outcome.err.find(row.sentence) != std::string::npos);
    CHECK(outcome.out.empty());
    CHECK(outcome.status == 2);
  }
}

TEST_CASE("passes beside each other need an exchange, chunks and layers that are not run again") {
  const std::string key = "overlap.overlap_moe_expert_parallel_comm";
  const std::string file = source_dir() + "/scenarios/mixtral_8x7b_h200.yaml";
  for (const Refused& row : {
           Refused{"ep=1", "is of tokens that travel; expert_model_parallel_size is 1"},
           Refused{"moe.moe_token_dispatcher_type=allgather",
                   "is not of the allgather dispatcher; alltoall or flex would do"},
           Refused{"recompute=full",
                   "needs layers that are not computed again whole; recompute selective would do"},
           Refused{"pp=2", "parallelism.virtual_pipeline_model_parallel_size: is 1, where " + key +
                               " needs several chunks a stage; 2 would do"},
           Refused{"parallelism.pipeline_schedule=gpipe",
                   "is of 1f1b, interleaved, dualpipe_v and dualpipe, not of gpipe"},
       }) {
    CAPTURE(row.setting);
    const Outcome outcome = run_simtrain(
        {"run", file, "--row", "bf16-256", "--set", key + "=true", "--set", row.setting});
    CHECK(outcome.err.find(row.sentence) != std::string::npos);
    CHECK(outcome.out.empty());
    CHECK(outcome.status == 2);
  }
  const Outcome dense = run_simtrain({"run", source_dir() + "/scenarios/llama31_8b_h100.yaml",
                                      "--row", "bf16-32", "--set", key + "=true"});
  CHECK(dense.err.find(key + ": is of experts, which llama3.1-8b does not have") !=
        std::string::npos);
  CHECK(dense.status == 2);
}

TEST_CASE("fused experts are of NVIDIA's GPUs, computed together and activated once") {
  const std::string key = "moe.use_transformer_engine_op_fuser";
  const std::string file =
      source_dir() + "/validation/measured/scenarios/bridge_qwen3_30b_gb200_whole_graphs.yaml";
  const auto run = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> call{"run", file, "--row", "26.06", "--set", key + "=true"};
    for (const std::string& setting : settings) call.insert(call.end(), {"--set", setting});
    return run_simtrain(call);
  };
  const std::vector<std::string> recomputed{"recompute=selective", "recompute_modules=[moe_act]"};
  for (const auto& [settings, sentence] :
       {std::pair{std::vector<std::string>{"moe.moe_grouped_gemm=false"},
                  "is of experts that are computed together; moe.moe_grouped_gemm is false"},
        std::pair{recomputed, "fuses moe_act, which can not be computed again then"},
        std::pair{std::vector<std::string>{"cluster.name=oci-mi355x", "cluster.nodes=1",
                                           "software=megatron-rocm-2025"},
                  "is of NVIDIA's GPUs, which megatron-rocm-2025 does not run on"}}) {
    const Outcome outcome = run(settings);
    CHECK(outcome.err.find(key + ": " + sentence) != std::string::npos);
    CHECK(outcome.status == 2);
  }
  std::vector<std::string> in_bf16 = recomputed;
  in_bf16.insert(in_bf16.end(), {"training.precision=bf16", "training.fp8_params=false"});
  CHECK(run(in_bf16).status == 0);  // nothing is fused
}

}  // namespace simtrain::testing::bad_experts_test
