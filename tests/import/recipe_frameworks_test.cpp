#include <doctest/doctest.h>

#include "sim/collectives/libraries/nccl/nccl_library.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_frameworks_test {
namespace {

struct Case {
  std::string file;
  RecipeRequest request;
};

RecipeRequest on(const std::string& cluster, const std::string& software, int nodes = 0) {
  RecipeRequest request = job(cluster, software);
  if (nodes > 0) request.nodes = nodes;
  return request;
}

Case foundry() { return {"mpt_30b_foundry.yaml", on("dgx-superpod-h100", "llm-foundry-2024", 1)}; }
Case maxtext() { return {"llama31_405b_maxtext.yaml", on("gcp-a4", "maxtext-2025")}; }
Case primus() { return {"llama31_8b_primus.yaml", on("dgx-superpod-h100", "torchtitan-2025", 1)}; }
Case neox() { return {"gpt_20b_neox.yml", on("dgx-superpod-a100", "megatron-2022", 12)}; }
Case nanotron() { return {"llama_nanotron.yaml", on("dgx-superpod-h100", "megatron-core-2025")}; }
Case deepspeed() {
  Case one{"zero3_deepspeed.json", on("dgx-superpod-h100", "deepspeed-2021", 4)};
  one.request.model = "gpt3-5b";
  one.request.settings = {"training.seq_length=2048"};
  return one;
}
Case launch() {
  return {"gpt3_5b_megatron_deepspeed.sh", on("dgx-superpod-h100", "deepspeed-2021", 4)};
}

Case changed(Case one, const std::vector<std::string>& overrides) {
  one.request.overrides = overrides;
  return one;
}

Scenario imported(const Case& one) {
  ImportFile file = recipe_file(one.file);
  if (one.file.ends_with("deepspeed.sh")) file.path = source_dir() + "/" + file.path;
  return scenario_in(import_recipe(file, one.request).yaml);
}

std::string refused(const Case& one, const std::vector<std::string>& overrides) {
  return error_of([&] { imported(changed(one, overrides)); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("recipes of all frameworks are known by their text") {
  CHECK(format_name(recipe_file("mpt_30b_foundry.yaml").text) == "llm-foundry");
  CHECK(format_name(recipe_file("zero3_deepspeed.json").text) == "deepspeed");
  CHECK(format_name(recipe_file("gpt3_5b_megatron_deepspeed.sh").text) == "megatron-arguments");
  CHECK(format_name(recipe_file("llama31_405b_maxtext.yaml").text) == "maxtext");
  CHECK(format_name(recipe_file("llama2_7b_maxtext.sh").text) == "maxtext");
  CHECK(format_name(recipe_file("llama31_8b_primus.yaml").text) == "primus");
  CHECK(format_name(recipe_file("gpt_20b_neox.yml").text) == "gpt-neox");
  CHECK(format_name(recipe_file("llama_nanotron.yaml").text) == "nanotron");
}

TEST_CASE("an LLM Foundry configuration is the scenario of the measured run") {
  const DataFolder data(source_dir());
  const Scenario known =
      ScenarioSource::from_file(data.root() + "/validation/measured/scenarios/mpt_h100.yaml")
          .scenario(data, "30b-8-2048-3x21", {});
  const Recipe mine = imported(foundry()).recipe;
  CHECK(mine.model.name == known.recipe.model.name);
  CHECK(mine.training.micro_batch_size == known.recipe.training.micro_batch_size);
  CHECK(mine.training.global_batch_size == known.recipe.training.global_batch_size);
  CHECK(mine.training.seq_length == known.recipe.training.seq_length);
  CHECK(mine.sharding == known.recipe.sharding);
  CHECK(mine.recompute == known.recipe.recompute);
  CHECK(mine.optimizer.grad_reduce_dtype == known.recipe.optimizer.grad_reduce_dtype);
  CHECK(mine.overlap.overlap_grad_reduce);
}

TEST_CASE("words of Composer's FSDP") {
  const auto with_strategy = [](const std::string& word, int nodes) {
    Case one = changed(foundry(), {"fsdp_config.sharding_strategy=" + word});
    one.request.nodes = nodes;
    if (nodes > 1) one.request.settings = {"training.global_batch_size=1008"};
    return imported(one).recipe;
  };
  CHECK(with_strategy("SHARD_GRAD_OP", 1).sharding.reshard_after_forward == false);
  CHECK(with_strategy("NO_SHARD", 1).shards() == Sharding::ddp);
  CHECK(with_strategy("HYBRID_SHARD", 2).sharding.data_parallel_replicate_degree == 2);
  CHECK(with_strategy("HYBRID_SHARD", 1).sharding.data_parallel_replicate_degree == 1);
  CHECK(imported(changed(foundry(), {"fsdp_config.mixed_precision=PURE"}))
            .recipe.optimizer.grad_reduce_dtype == DataType::bf16);
  CHECK(imported(changed(foundry(), {"precision=amp_fp8"})).recipe.training.precision ==
        Precision::fp8);
  CHECK(imported(changed(foundry(), {"~fsdp_config"})).recipe.shards() == Sharding::ddp);
}

TEST_CASE("experts of LLM Foundry are those of the model") {
  const ModelSpec model = imported(changed(foundry(), {"+model.ffn_config.ffn_type=mb_dmoe",
                                                       "+model.ffn_config.moe_num_experts=8",
                                                       "+model.ffn_config.moe_top_k=2"}))
                              .recipe.model;
  REQUIRE(model.experts);
  CHECK(model.experts->num_moe_experts == 8);
  CHECK(model.experts->moe_router_topk == 2);
  CHECK(model.experts->moe_ffn_hidden_size == model.ffn_hidden_size);
}

TEST_CASE("Composer's micro-batch is at most what a replica has of a step") {
  const auto micro = [](const std::string& batch) {
    return imported(changed(foundry(),
                            {"device_train_microbatch_size=8", "global_train_batch_size=" + batch}))
        .recipe.training.micro_batch_size;
  };
  CHECK(micro("48") == 6);
  CHECK(micro("64") == 8);
  CHECK(micro("128") == 8);
}

TEST_CASE("an LLM Foundry configuration is refused where it is not simulated") {
  CHECK(holds(refused(foundry(), {"device_train_microbatch_size=auto"}),
              "training.micro_batch_size: the recipe does not give it; --set"));
  CHECK(holds(refused(foundry(), {"fsdp_config.activation_cpu_offload=true"}), "offloading"));
  CHECK(holds(refused(foundry(), {"fsdp_config.sharding_strategy=HALF"}),
              "'HALF' is not modelled; FULL_SHARD"));
  CHECK(holds(refused(foundry(), {"+model.ffn_config.ffn_act_fn={name: silu}"}),
              "'silu' is not modelled"));
  CHECK(holds(refused(foundry(), {"+model.config_overrides.num_hidden_layers=16"}),
              "another shape than the named model's is not imported"));
  CHECK(holds(refused(foundry(), {"+model.ffn_config.ffn_type=mptmoe"}),
              "model.ffn_config.ffn_type: is set to 'mptmoe'"));
  CHECK(holds(refused(foundry(), {"model.name=hf_t5"}), "'hf_t5' is not modelled"));
  CHECK(holds(refused(foundry(), {"precision=fp32"}), "precision: 'fp32' is not modelled"));
  CHECK(holds(
      refused(foundry(), {"model.name=hf_causal_lm",
                          "+model.pretrained_model_name_or_path=someone/tiny", "~model.n_layers"}),
      "'someone/tiny' is no model that is known here by name"));
}

TEST_CASE("a DeepSpeed configuration is a stage of ZeRO and a share of the batch") {
  const Recipe three = imported(deepspeed()).recipe;
  CHECK(three.shards() == Sharding::zero3);
  CHECK(three.model.name == "gpt3-5b");
  CHECK(three.training.global_batch_size == 4 * 32);
  CHECK(three.optimizer.bucket_size_mb == 1000);
  CHECK(three.overlap.overlap_param_gather);
  const auto stage = [](const std::string& number, std::vector<std::string> changes = {}) {
    changes.push_back("zero_optimization.stage=" + number);
    return imported(changed(deepspeed(), changes)).recipe;
  };
  CHECK(stage("0").shards() == Sharding::zero1_sums);
  CHECK(stage("0").optimizer.grad_reduce_dtype == DataType::fp32);
  CHECK(stage("0", {"~bf16", "+fp16={enabled: true}"}).shards() == Sharding::ddp);
  CHECK(stage("1").shards() == Sharding::zero1);
  CHECK(stage("1").optimizer.grad_reduce_dtype == DataType::bf16);
  CHECK(stage("2").shards() == Sharding::zero2);
  const Recipe parts =
      imported(changed(deepspeed(), {"~train_micro_batch_size_per_gpu", "+train_batch_size=256",
                                     "gradient_accumulation_steps=2"}))
          .recipe;
  CHECK(parts.training.micro_batch_size == 4);
  CHECK(parts.training.global_batch_size == 256);
}

TEST_CASE("a DeepSpeed configuration is refused where it is not simulated") {
  CHECK(holds(refused(deepspeed(), {"zero_optimization.stage=4"}), "'4' is no stage of ZeRO"));
  CHECK(holds(refused(deepspeed(), {"+zero_optimization.offload_optimizer={device: nvme}"}),
              "zero_optimization.offload_optimizer.device: 'nvme' is not modelled; cpu would do"));
  CHECK(holds(refused(deepspeed(), {"+zero_optimization.zero_quantized_weights=true"}), "ZeRO++"));
  CHECK(holds(refused(deepspeed(), {"~train_micro_batch_size_per_gpu", "+train_batch_size=50"}),
              "train_batch_size, over 32 replicas makes 1.5625; --nodes N or --set"));
  Case bare = deepspeed();
  bare.request.model.reset();
  CHECK(holds(refused(bare, {}), "model: is not of a DeepSpeed configuration; --model NAME"));
}

TEST_CASE("a script of Megatron-DeepSpeed takes in the configuration that it names") {
  const Recipe recipe = imported(launch()).recipe;
  CHECK(recipe.shards() == Sharding::zero3);
  CHECK(recipe.training.micro_batch_size == 4);
  CHECK(recipe.training.global_batch_size == 4 * 32);
  CHECK(recipe.recompute == Recompute::full);
  CHECK(holds(refused(launch(), {"micro_batch_size=2"}),
              "zero3_deepspeed.json:2:37: train_micro_batch_size_per_gpu: '4' contradicts '2' of "
              "--micro-batch-size"));
  CHECK(holds(refused(launch(), {"deepspeed_config=other.json"}),
              "other.json, which is not there; --override \"~deepspeed_config\" reads on"));
  Case without = changed(launch(), {"~deepspeed_config", "zero_stage=1"});
  without.request.settings = {"training.global_batch_size=256"};
  CHECK(imported(without).recipe.shards() == Sharding::zero1);
}

TEST_CASE("a MaxText configuration is the scenario of the measured run") {
  const DataFolder data(source_dir());
  const Scenario known =
      ScenarioSource::from_file(data.root() +
                                "/validation/measured/scenarios/gcp_a4_maxtext_405b.yaml")
          .scenario(data, "fp8-256", {});
  const Scenario mine = imported(maxtext());
  CHECK(mine.placement.nodes == 32);
  CHECK(mine.recipe.model.name == known.recipe.model.name);
  CHECK(mine.recipe.training.precision == known.recipe.training.precision);
  CHECK(mine.recipe.training.micro_batch_size == known.recipe.training.micro_batch_size);
  CHECK(mine.recipe.training.global_batch_size == known.recipe.training.global_batch_size);
  CHECK(mine.recipe.sharding == known.recipe.sharding);
  CHECK(mine.recipe.optimizer.grad_reduce_dtype == known.recipe.optimizer.grad_reduce_dtype);
  CHECK(mine.recipe.recompute == Recompute::full);
}

TEST_CASE("axes of MaxText's mesh") {
  const Recipe tensor =
      imported(changed(maxtext(), {"ici_fsdp_parallelism=4", "+ici_tensor_sequence_parallelism=2"}))
          .recipe;
  CHECK(tensor.tp() == 2);
  CHECK(tensor.parallelism.sequence_parallel);
  CHECK(tensor.training.global_batch_size == 512);
  CHECK(tensor.training.micro_batch_size == 4);
  const Scenario mine = imported(maxtext());
  const Scenario steps = imported(changed(maxtext(), {"+gradient_accumulation_steps=2"}));
  CHECK(steps.recipe.training.micro_batch_size == mine.recipe.training.micro_batch_size);
  CHECK(steps.recipe.training.global_batch_size == 2 * mine.recipe.training.global_batch_size);
  Case rest = changed(maxtext(), {"dcn_data_parallelism=-1", "ici_fsdp_parallelism=-1"});
  CHECK(imported(rest).placement.nodes == 16);  // the fewest: one replica
  rest.request.nodes = 64;
  CHECK(imported(rest).recipe.sharding.data_parallel_replicate_degree == 4);
  CHECK(holds(refused(maxtext(), {"ici_fsdp_parallelism=4"}),
              "the sizes of this mesh are 4, which does not fit the 8 GPUs of a gcp-a4 node"));
  const Scenario slice =
      imported(changed(maxtext(), {"ici_fsdp_parallelism=64", "dcn_fsdp_parallelism=1"}));
  CHECK(slice.placement.nodes == 16);  // a slice of TPUs is one network, laid over 8 nodes
  CHECK(slice.recipe.sharding.data_parallel_replicate_degree == 2);
  CHECK(holds(refused(maxtext(), {"dcn_fsdp_parallelism=4", "+dcn_pipeline_parallelism=4"}),
              "dcn_pipeline_parallelism: is 4; this axis of XLA's mesh is not modelled"));
  rest = maxtext();
  rest.request.nodes = 32;
  CHECK(holds(refused(rest, {"dcn_fsdp_parallelism=-1", "dcn_data_parallelism=-1"}),
              "dcn_fsdp_parallelism: is -1, as dcn_data_parallelism is; one of them takes"));
}

TEST_CASE("checkpoints of llm-foundry that run whole layers again are named") {
  CHECK(holds(refused(foundry(), {"fsdp_config.activation_checkpointing_reentrant=true"}),
              "fsdp_config.activation_checkpointing_reentrant: "));
}

TEST_CASE("policies and precisions of MaxText") {
  const auto recompute = [](const std::string& policy) {
    return imported(changed(maxtext(), {"remat_policy=" + policy})).recipe;
  };
  CHECK(recompute("minimal_flash").recompute == Recompute::minimal_flash);
  CHECK(recompute("minimal").recompute == Recompute::checkpoint_dots);
  CHECK(recompute("save_dot_with_context_except_mlp").recompute ==
        Recompute::save_dot_with_context_except_mlp);
  CHECK(recompute("save_out_proj").recompute == Recompute::save_out_proj);
  CHECK(holds(refused(maxtext(), {"remat_policy=qkv_proj_offloaded"}),
              "remat_policy: 'qkv_proj_offloaded' is not modelled; --override remat_policy=full "
              "takes another, as do none, minimal_flash, save_qkv_proj, save_out_proj, "));
  CHECK(imported(changed(maxtext(), {"quantization=\"\""})).recipe.training.precision ==
        Precision::bf16);
  CHECK(holds(refused(maxtext(), {"quantization=int8"}), "FP8 by 'int8' is not modelled"));
  CHECK(holds(refused(maxtext(), {"model_name=tiny-1b"}), "'tiny-1b' is no model that is known"));
}

TEST_CASE("a script of MaxText gives keys as words") {
  const Scenario scenario =
      imported({"llama2_7b_maxtext.sh", on("gcp-a3-mega", "maxtext-2024.12")});
  CHECK(scenario.placement.nodes == 32);
  CHECK(scenario.recipe.model.name == "llama2-7b");
  CHECK(scenario.recipe.training.global_batch_size == 1024);
  CHECK(scenario.recipe.sharding.data_parallel_replicate_degree == 32);
  CHECK(scenario.recipe.recompute == Recompute::minimal_flash);
}

TEST_CASE("a Primus configuration is of the framework that it names") {
  const Recipe recipe = imported(primus()).recipe;
  CHECK(recipe.model.name == "llama3.1-8b");
  CHECK(recipe.shards() == Sharding::fsdp2);
  CHECK(recipe.sharding.reshard_after_forward == false);
  CHECK(recipe.recompute == Recompute::selective_op);
  CHECK(recipe.training.micro_batch_size == 2);  // the default of an unset ${PRIMUS_BATCH:2}
  const ImportFile other =
      with(recipe_file("llama31_8b_primus.yaml"), "framework: torchtitan", "framework: other");
  CHECK(holds(error_of([&] { import_recipe(other, primus().request); }),
              "llama31_8b_primus.yaml:6:16: modules.pre_trainer.framework: 'other' is not "
              "imported; megatron, torchtitan and maxtext are"));
}

TEST_CASE("Primus on Megatron has the distributed optimizer that it needs") {
  const ImportFile file{"primus.yaml",
                        "modules:\n  pre_trainer:\n    framework: megatron\n"
                        "    model: llama3.1_8B.yaml\n    overrides:\n      micro_batch_size: 1\n"
                        "      global_batch_size: 128\n      seq_length: 8192\n"
                        "      tensor_model_parallel_size: 1\n      overlap_param_gather: true\n"};
  const RecipeRequest request = on("oci-mi300x", "megatron-rocm-2025", 1);
  CHECK(scenario_in(import_recipe(file, request).yaml).recipe.optimizer.distributed);
  const ImportFile without = with(file, "overlap_param_gather: true", "bf16: true");
  CHECK(!scenario_in(import_recipe(without, request).yaml).recipe.optimizer.distributed);
  const ImportFile large =
      with(with(file, "llama3.1_8B", "llama3.1_405B"), "tensor_model_parallel_size: 1",
           "tensor_model_parallel_size: 8\n      pipeline_model_parallel_size: 8");
  RecipeRequest many = request;
  many.nodes = 8;
  const Recipe dealt = scenario_in(import_recipe(large, many).yaml).recipe;
  CHECK(dealt.parallelism.account_for_embedding_in_pipeline_split);
  CHECK(dealt.dealt_layers() == 128);
}

TEST_CASE("an error of what is a small part names the override that goes on without it") {
  CHECK(holds(refused(maxtext(), {"+weight_dtype=bfloat16"}),
              "are not modelled; --override weight_dtype=float32 goes on without it"));
  CHECK(refused(maxtext(), {"+weight_dtype=float32"}).empty());
  CHECK(holds(refused(foundry(), {"fsdp_config.activation_cpu_offload=true"}),
              "; --override \"~fsdp_config.activation_cpu_offload\" goes on without it"));
  CHECK(refused(foundry(), {"~fsdp_config.activation_cpu_offload"}).empty());
}

TEST_CASE("a GPT-NeoX configuration holds DeepSpeed's") {
  const Recipe recipe = imported(neox()).recipe;
  CHECK(recipe.tp() == 2);
  CHECK(recipe.pp() == 4);
  CHECK(recipe.model.num_layers == 44);
  CHECK(recipe.model.vocab_size == 50432);
  CHECK(recipe.model.rotary_percent == 0.25);
  CHECK(recipe.shards() == Sharding::zero1);
  CHECK(recipe.training.global_batch_size == 4 * 32 * 12);
  CHECK(recipe.recompute == Recompute::full);
  CHECK(recipe.optimizer.bucket_size_mb == 2520);
  CHECK(refused(neox(), {"checkpoint-num-layers=4"}).empty());
}

TEST_CASE("a nanotron configuration gives all its ranks") {
  const Scenario scenario = imported(nanotron());
  CHECK(scenario.placement.nodes == 2);
  CHECK(scenario.recipe.tp() == 2);
  CHECK(scenario.recipe.parallelism.sequence_parallel);
  CHECK(scenario.recipe.shards() == Sharding::zero1);
  CHECK(scenario.recipe.training.global_batch_size == 32);
  CHECK(scenario.recipe.optimizer.grad_reduce_dtype == DataType::fp32);
  CHECK(scenario.recipe.model.name == "llama3.1-8b");
  CHECK(holds(refused(nanotron(), {"parallelism.pp_engine=afab"}), "this pipeline schedule"));
  CHECK(holds(refused(nanotron(), {"model.model_config.is_llama_config=false"}),
              "is of no Llama or Qwen 2"));
}

}  // namespace simtrain::testing::recipe_frameworks_test
