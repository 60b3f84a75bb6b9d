#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/collectives/libraries/nccl/nccl_library.h"
#include "sim/workload/model/layers/model_parts.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_megatron_test {
namespace {

const std::string kConfig = "gpt15b_model_config.yaml";

RecipeRequest h100_job(const std::vector<std::string>& overrides = {}) {
  RecipeRequest request = job("dgx-superpod-h100", "megatron-core-2025");
  request.overrides = overrides;
  return request;
}

Scenario imported(const ImportFile& file, const RecipeRequest& request) {
  REQUIRE(!file.text.empty());
  return scenario_in(import_recipe(file, request).yaml);
}

std::string refused(const ImportFile& file, const RecipeRequest& request = h100_job()) {
  REQUIRE(!file.text.empty());
  return error_of([&] { import_recipe(file, request); });
}

/// The batch of the model_config.yaml, a line of it changed.
int batch(const std::string& from, const std::string& to) {
  return imported(with(recipe_file(kConfig), from, to), h100_job())
      .recipe.training.global_batch_size;
}

bool has(const std::vector<std::string>& notes, const std::string& part) {
  for (const std::string& note : notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a model_config.yaml of Megatron gives the recipe of the script of the same run") {
  const ImportFile file = recipe_file(kConfig);
  CHECK(format_name(file.text) == "megatron-model-config");
  RecipeRequest request = h100_job();
  request.settings = {"gbs=1152"};
  const Scenario config = imported(file, request);
  const Scenario script = imported(recipe_file("gpt15b_megatron.sh"), h100_job());
  CHECK(config.recipe.tp() == 8);
  CHECK(config.recipe.pp() == 1);
  CHECK(config.recipe.parallelism.sequence_parallel);
  CHECK(config.recipe.training.micro_batch_size == 4);
  CHECK(config.recipe.training.global_batch_size == 1152);
  CHECK(config.recipe.training.seq_length == 4096);
  CHECK(config.placement.nodes == 32);
  CHECK(config.recipe.optimizer.distributed);
  CHECK(config.recipe.overlap.overlap_grad_reduce);
  CHECK(!config.recipe.overlap.tp_comm_overlap);
  CHECK(config.recipe.model.name == script.recipe.model.name);
  CHECK(model_parameters(config.recipe.model) == model_parameters(script.recipe.model));
  CHECK(config.recipe.optimizer.bucket_size_mb == script.recipe.optimizer.bucket_size_mb);
  CHECK(config.recipe.optimizer.grad_reduce_dtype == script.recipe.optimizer.grad_reduce_dtype);
}

TEST_CASE("the environment of a model_config.yaml reaches NCCL, and what does not is named") {
  const ImportedRecipe recipe = import_recipe(recipe_file(kConfig), h100_job());
  const NcclSettings nccl = *nccl_settings_of(scenario_in(recipe.yaml).recipe.software.library);
  CHECK(!nccl.nvls.value);
  REQUIRE(nccl.algo);
  CHECK(nccl.algo->value == std::vector<Algorithm>{Algorithm::ring});
  CHECK(recipe.yaml.find("  nvls: false # NCCL_NVLS_ENABLE\n") != std::string::npos);
  CHECK(recipe.yaml.find("CUDA_DEVICE_MAX_CONNECTIONS") != std::string::npos);
  CHECK(has(recipe.notes, "deterministic kernels"));
  const auto algorithms = [&](const std::string& text) {
    const Scenario scenario =
        imported(with(recipe_file(kConfig), "NCCL_ALGO: Ring", "NCCL_ALGO: " + text), h100_job());
    return nccl_settings_of(scenario.recipe.software.library)->algo->value;
  };
  CHECK(algorithms("^NVLS,NVLSTree,CollnetDirect,CollnetChain,PAT") ==
        std::vector<Algorithm>{Algorithm::ring, Algorithm::tree});
  CHECK(algorithms("Tree,NVLSTree") ==
        std::vector<Algorithm>{Algorithm::tree, Algorithm::nvls_tree});
  CHECK(refused(with(recipe_file(kConfig), "NCCL_ALGO: Ring", "NCCL_ALGO: Rong"))
            .find("NCCL_ALGO: 'Rong' holds a word that is not known here") != std::string::npos);
}

TEST_CASE("of a batch that grows, the one in which the run ends is taken and reported") {
  const ImportedRecipe recipe = import_recipe(recipe_file(kConfig), h100_job());
  CHECK(scenario_in(recipe.yaml).recipe.training.global_batch_size == 384);
  CHECK(recipe.yaml.find("global_batch_size: 384 # ASSUMED: --rampup-batch-size: from 384 to 1152; "
                         "the batch in which the run of 34500 steps (--exit-interval) ends; --set "
                         "gbs=1152 takes the last\n") != std::string::npos);
  CHECK(has(recipe.notes, "training.global_batch_size 384 is assumed"));
  // 48,828,125 samples at 384 are 127,157 steps, as many at 768 63,579.
  CHECK(batch("--exit-interval: 34500", "--exit-interval: 127157") == 384);
  CHECK(batch("--exit-interval: 34500", "--exit-interval: 127200") == 768);
  CHECK(batch("--exit-interval: 34500", "--exit-interval: 200000") == 1152);
  CHECK(batch("--exit-interval: 34500", "--train-iters: 34500") == 384);
  CHECK(batch("--exit-interval: 34500", "--exit-interval: null") == 1152);  // by 192 M samples
  CHECK(batch("\"[384 384 97656250]\"", "[384, 384, 400000000]") == 384);
  CHECK(batch("\"[384 384 97656250]\"", "1152 384 97656250") == 1152);
  CHECK(refused(with(recipe_file(kConfig), "[384 384", "[384 500"))
            .find("--rampup-batch-size: '384,500,97656250' is no first batch, increment and "
                  "samples that lead to the batch of 1152; --set gbs=N") != std::string::npos);
  const ImportFile script = with(recipe_file("gpt15b_megatron.sh"), "--bf16",
                                 "--bf16 --rampup-batch-size 384 384 97656250 --train-iters 500");
  CHECK(imported(script, h100_job()).recipe.training.global_batch_size == 384);
}

TEST_CASE("a model_config.yaml is refused where it is not understood") {
  CHECK(refused({"m.yaml", "MODEL_ARGS:\n  --lr: 1\n"})
            .find("m.yaml: holds no key that simtrain reads in a file of this kind") == 0);
  CHECK(refused({"m.yaml", "MODEL_ARGS: 3\n"}).find("must be a map of --option: value") !=
        std::string::npos);
  CHECK(refused({"m.yaml", "MODEL_ARGS:\n  num-layers: 3\n"}).find("num-layers: is no option") !=
        std::string::npos);
  CHECK(
      refused(with(recipe_file(kConfig), "--bf16: true", "--bf16: true\n  --moe-extended-tp: true"))
          .find("--moe-extended-tp: is set to 'true'; experts") != std::string::npos);
  CHECK(refused(with(recipe_file(kConfig), "size: 8\n", "size: ${TP}\n"))
            .find("--tensor-model-parallel-size: '${TP}' has no value in the file; "
                  "--override tensor_model_parallel_size=VALUE sets one") != std::string::npos);
  CHECK(refused(with(recipe_file(kConfig), "TEST_TYPE: release", "MODE: inference"))
            .find("MODE: is 'inference'; training steps are simulated") != std::string::npos);
}

TEST_CASE("an argument of Megatron can be taken away as Hydra does") {
  const ImportFile script =
      with(recipe_file("gpt15b_megatron.sh"), "--bf16", "--bf16 --fp16 --ddp-num-buckets 8");
  CHECK(refused(script, h100_job({"~fp16"})).empty());
  CHECK(import_recipe(script, h100_job()).yaml.find("a number of gradient buckets") !=
        std::string::npos);
  CHECK(refused(script, h100_job({"~fp16", "~ddp-num-buckets"})).empty());
  CHECK(
      refused(script, h100_job({"~fp8", "~fp16"})).ends_with("fp8: is no argument of the recipe"));
  CHECK(refused(script, h100_job({"~fp17"}))
            .find("is no argument that simtrain reads; did you "
                  "mean 'fp16'?") != std::string::npos);
}

TEST_CASE("a recipe with a shape of its own needs no model file") {
  const ImportFile script = with(with(recipe_file("gpt15b_megatron.sh"), "--hidden-size 6144",
                                      "--hidden-size 3072 --ffn-hidden-size 10240"),
                                 "--num-attention-heads 48", "--num-attention-heads 24");
  RecipeRequest request = h100_job();
  request.name = "small";
  const ImportedRecipe recipe = import_recipe(script, request);
  const ModelSpec model = scenario_in(recipe.yaml).recipe.model;
  CHECK(model.name == "small");
  CHECK(model.num_layers == 32);
  CHECK(model.hidden_size == 3072);
  CHECK(model.ffn_hidden_size == 10240);
  CHECK(model.num_query_groups == 8);
  CHECK(model.vocab_size == 256000);
  CHECK(model.activation == Activation::squared_relu);
  CHECK(recipe.yaml.find("\nmodel:\n  name: \"small\" # no model of scenarios/models is equal\n"
                         "  num_layers: 32 # --num-layers\n") != std::string::npos);
  request.settings = {"model.num_layers=16"};
  CHECK(scenario_in(import_recipe(script, request).yaml).recipe.model.num_layers == 16);
  CHECK(refused(with(script, "--vocab-size 256000", "--lr 1"), h100_job())
            .find("vocab_size: is not given by the recipe") != std::string::npos);
}

TEST_CASE("dropout, heads and parts that are not simulated are not passed over") {
  const ImportFile script = recipe_file("gpt15b_megatron.sh");
  const ImportFile dropping = with(script, "--hidden-dropout 0.0", "--lr 1");
  CHECK(imported(dropping, h100_job()).recipe.model.hidden_dropout == 0.1);
  const ImportedRecipe normed =
      import_recipe(with(script, "--bf16", "--bf16 --qk-layernorm"), h100_job());
  CHECK(normed.yaml.find("  qk_layernorm: true # --qk-layernorm\n") != std::string::npos);
  const ImportedRecipe exact =
      import_recipe(with(script, "--bf16", "--bf16 --deterministic-mode"), h100_job());
  CHECK(has(exact.notes, "not simulated, though asked for: deterministic kernels"));
  CHECK(exact.yaml.find("# Not simulated, though the recipe asks for it:\n") != std::string::npos);
  CHECK(imported(with(script, "--disable-bias-linear", "--lr 1"), h100_job())
            .recipe.model.add_bias_linear);
  CHECK(refused(with(script, "--num-attention-heads 48", "--num-attention-heads 50"))
            .find("--num-attention-heads: 50 heads do not divide the hidden size of 6144") !=
        std::string::npos);
  CHECK(refused(with(script, "--num-query-groups 8", "--num-query-groups 7"))
            .find("--num-query-groups: 7 query groups do not divide the 48 heads") !=
        std::string::npos);
}

TEST_CASE("nodes that a script asks Slurm for are the job's where nothing else says them") {
  const ImportFile script = with(with(recipe_file("gpt15b_megatron.sh"), "--nnodes $NUM_NODES", ""),
                                 "--nproc_per_node $GPUS_PER_NODE", "");
  const ImportFile slurm = with(script, "#!/bin/bash\n", "#!/bin/bash\n#SBATCH --nodes=16\n");
  CHECK(imported(slurm, h100_job()).placement.nodes == 16);
  const ImportFile variable =
      with(with(recipe_file("gpt15b_megatron.sh"), "${SLURM_NNODES:-32}", "$SLURM_JOB_NUM_NODES"),
           "#!/bin/bash\n", "#!/bin/bash\n#SBATCH -N 8\n");
  CHECK(imported(variable, h100_job()).placement.nodes == 8);
  ImportFile without_torchrun = script;
  const std::size_t at = without_torchrun.text.find("torchrun");
  without_torchrun.text.replace(at, 8, "srun -N 12 --gpus-per-node=8 python");
  CHECK(imported(without_torchrun, h100_job()).placement.nodes == 12);
  const ImportFile named = with(with(without_torchrun, "-N 12", "--nodes=${NODES}"),
                                "#!/bin/bash\n", "#!/bin/bash\nNODES=4\nexport NODES=6 # all\n");
  CHECK(imported(named, h100_job()).placement.nodes == 6);
  RecipeRequest given = h100_job();
  given.nodes = 4;
  CHECK(imported(variable, given).placement.nodes == 4);
}

TEST_CASE("gradients are as wide as FP16, and as a recipe says") {
  const auto type = [](const std::string& flags) {
    return imported(with(recipe_file("gpt15b_megatron.sh"), "--bf16", flags), h100_job())
        .recipe.optimizer.grad_reduce_dtype;
  };
  CHECK(type("--bf16") == DataType::fp32);
  CHECK(type("--fp16") == DataType::bf16);
  CHECK(type("--fp16 --accumulate-allreduce-grads-in-fp32") == DataType::fp32);
  CHECK(type("--bf16 --main-grads-dtype bf16") == DataType::bf16);
}

TEST_CASE("multiquery of BigCode's fork is one group of queries") {
  const ImportFile file =
      with(with(recipe_file("gpt15b_megatron.sh"), "--group-query-attention", ""),
           "--num-query-groups 8", "--attention-head-type multiquery");
  const Recipe recipe = imported(file, h100_job()).recipe;
  CHECK(recipe.model.num_query_groups == 1);
  CHECK(recipe.tp() == 8);
}

TEST_CASE("options of Megatron-DeepSpeed and of first releases count as what they are now") {
  const auto read = [](const std::string& from, const std::string& to) {
    return imported(with(recipe_file("gpt15b_megatron.sh"), from, to), h100_job()).recipe;
  };
  const std::string groups = "--group-query-attention";
  CHECK(imported(with(with(recipe_file("gpt15b_megatron.sh"), groups, ""), "--num-query-groups 8",
                      "--num-key-value-heads 8"),
                 h100_job())
            .recipe.model.num_query_groups == 8);
  CHECK(read("--bf16", "--bf16 --activations-checkpoint-method uniform").recompute ==
        Recompute::full);
  CHECK(read("--bf16", "--bf16 --zero-stage 0").sharding.strategy == Sharding::zero1_sums);
}

TEST_CASE("layers of the first and the last stage make a layout") {
  const auto layout = [](const std::string& flags) {
    return imported(with(recipe_file("gpt15b_megatron.sh"), "--pipeline-model-parallel-size=1",
                         "--pipeline-model-parallel-size=4 " + flags),
                    h100_job())
        .recipe.parallelism.pipeline_model_parallel_layout.value_or("");
  };
  CHECK(layout("--decoder-first-pipeline-num-layers 6 --decoder-last-pipeline-num-layers 6") ==
        "Et*6|t*10|t*10|t*6L");
  CHECK(layout("--decoder-last-pipeline-num-layers 5") == "Et*9|t*9|t*9|t*5L");
  CHECK(layout("--decoder-first-pipeline-num-layers 4 --decoder-last-pipeline-num-layers 4 "
               "--num-virtual-stages-per-pipeline-rank 2") == "Et*2|t*6|t*6|t*2|t*2|t*6|t*6|t*2L");
  CHECK(refused(with(recipe_file("gpt15b_megatron.sh"), "--pipeline-model-parallel-size=1",
                     "--pipeline-model-parallel-size=4 --decoder-last-pipeline-num-layers 6"))
            .find("32 layers do not split over PP 4 and VP 1 with 0 in the first and 6 in the "
                  "last stage") != std::string::npos);
}

TEST_CASE("programs of models with an encoder are refused by their name") {
  CHECK(refused(with(recipe_file("gpt15b_megatron.sh"), "pretrain_gpt.py", "pretrain_bert.py"))
            .find("trains a model with an encoder or retrieval") != std::string::npos);
}

TEST_CASE("settings of NCCL are left aside where the stack runs RCCL") {
  RecipeRequest amd = job("oci-mi300x", "megatron-rocm-2025");
  const ImportFile file = with(recipe_file("gpt15b_megatron.sh"), "#!/bin/bash\n",
                               "#!/bin/bash\nexport NCCL_PROTO=Simple\n");
  const std::string yaml = import_recipe(file, amd).yaml;
  CHECK(yaml.find("a setting of NCCL; megatron-rocm-2025 runs rccl") != std::string::npos);
  CHECK(yaml.find("\nnccl:") == std::string::npos);
}

}  // namespace simtrain::testing::recipe_megatron_test
