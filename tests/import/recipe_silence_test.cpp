#include <algorithm>
#include <stdexcept>

#include <doctest/doctest.h>

#include "sim/import/job/optimizer_keys.h"
#include "sim/import/model/named_model.h"
#include "sim/import/other_programs.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_silence_test {
namespace {

// What recipes leave out, and what is no recipe.

Scenario read(const ImportFile& file, const RecipeRequest& request) {
  return scenario_in(import_recipe(file, request).yaml);
}

bool notes(const ImportFile& file, const RecipeRequest& request, const std::string& text) {
  const ImportedRecipe recipe = import_recipe(file, request);
  return std::any_of(recipe.notes.begin(), recipe.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

RecipeRequest on_h100() { return job("dgx-superpod-h100", "megatron-core-2025"); }

/// A script of TP 8 and PP 2 that leaves to its launcher on how many GPUs it runs.
ImportFile without_nodes() {
  ImportFile script = recipe_file("gpt15b_megatron.sh");
  for (const std::string option : {"--nnodes", "--nproc-per-node", "--nproc_per_node"}) {
    const std::size_t at = script.text.find(option);
    if (at != std::string::npos) script.text.erase(at, script.text.find_first_of("\\\n", at) - at);
  }
  return with(script, "parallel-size=1 ", "parallel-size=2 ");
}

TEST_CASE("nodes that no recipe gives are assumed, and reported") {
  ImportFile script = without_nodes();
  CHECK(read(script, on_h100()).placement.nodes == 2);
  CHECK(
      notes(script, on_h100(), "cluster.nodes 2 is assumed: not given, the fewest that hold TP 8"));
  RecipeRequest wide = on_h100();
  wide.settings = {"parallelism.pipeline_model_parallel_size=4"};
  CHECK(read(script, wide).placement.nodes == 4);
  wide = on_h100();
  wide.nodes = 6;
  CHECK(read(script, wide).placement.nodes == 6);
  for (const auto& [name, nodes] :
       std::vector<std::pair<std::string, int>>{{"gpt-48gpus.sh", 6},
                                                {"gpt_4vm.sh", 4},
                                                {"gpt-12-nodes.sh", 2},
                                                {"a16-32-gpus.sh", 2},
                                                {"gpt-8gpus.sh", 2},
                                                {"gpt-x48gpus.sh", 2},
                                                {"gpt-8nodes-fp8.sh", 8}}) {
    script.path = "some/" + name;
    CAPTURE(script.path);
    CHECK(read(script, on_h100()).placement.nodes == nodes);
  }
}

TEST_CASE("a recipe of less than a node runs on a whole one, a replica with as many samples") {
  const ImportFile small = recipe_file("llama_nanotron.yaml");
  RecipeRequest request = job("dgx-superpod-h100", "megatron-core-2025");
  request.overrides = {"parallelism.dp=1", "parallelism.tp=2", "parallelism.pp=2"};
  const Scenario nanotron = read(small, request);
  CHECK(nanotron.placement.nodes == 1);
  CHECK(notes(small, request, "gives 4 GPUs of a node, all 8 of a dgx-superpod-h100 node work"));
  request.nodes = 2;
  CHECK(read(small, request).recipe.training.global_batch_size ==
        2 * nanotron.recipe.training.global_batch_size);
  const std::string nemo =
      "trainer:\n  devices: 2\n  num_nodes: 1\n  precision: bf16\nmodel:\n"
      "  micro_batch_size: 4\n  global_batch_size: 8\n  encoder_seq_length: 2048\n"
      "  num_layers: 32\n  hidden_size: 4096\n  ffn_hidden_size: 11008\n"
      "  num_attention_heads: 32\n  activation: fast-swiglu\n  normalization: rmsnorm\n"
      "  position_embedding_type: rope\n  bias: false\n"
      "  share_embeddings_and_output_weights: false\n";
  RecipeRequest llama = on_h100();
  llama.settings = {"model_overrides.vocab_size=32000"};
  const Scenario whole = read({"tiny.yaml", nemo}, llama);
  CHECK(whole.placement.nodes == 1);
  CHECK(whole.recipe.training.global_batch_size == 32);
  CHECK(whole.recipe.training.micro_batch_size == 4);
}

TEST_CASE("a batch that is not given is one micro-batch a replica") {
  const ImportFile script = recipe_file("gpt15b_megatron.sh");
  RecipeRequest request = on_h100();
  request.overrides = {"~global_batch_size", "micro_batch_size=2"};
  request.nodes = 4;
  CHECK(read(script, request).recipe.training.global_batch_size == 8);
  CHECK(notes(script, request, "one micro-batch on each of 4 replicas"));
}

TEST_CASE("a script that launches another one by variables is read") {
  const std::string text =
      "#!/bin/bash\nexport MODEL=${MODEL:-Qwen3-30B-A3B}\nexport MBS=1\nexport SEQ_LEN=4096\n"
      "PR=mxfp8 DISPATCHER=alltoall TP=1 PP=1 EP=8 NNODES=2 GBS=512 bash ./start.sh "
      "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1\n"
      "TP=2 PP=1 EP=8 NNODES=4 GBS=1024 bash ./start.sh\n";
  const RecipeRequest request = job("dgx-superpod-b200", "megatron-core-2025");
  const ImportFile script{"launch.sh", text};
  CHECK(format_name(text) == "megatron-launch");
  const Scenario first = read(script, request);
  CHECK(first.recipe.model.name == "qwen3-30b-a3b");
  CHECK(first.placement.nodes == 2);
  CHECK(first.recipe.ep() == 8);
  CHECK(first.recipe.training.precision == Precision::fp8_mx);
  CHECK(first.recipe.training.global_batch_size == 512);
  CHECK(first.recipe.training.seq_length == 4096);
  CHECK(first.recipe.recompute == Recompute::full);
  CHECK(notes(script, request, "other launches of the script, which has 2"));
  CHECK(notes(script, request, "what the launched script sets itself"));
  RecipeRequest second = request;
  second.overrides = {"launch=2"};
  const Scenario other = read(script, second);
  CHECK(other.recipe.tp() == 2);
  CHECK(other.recipe.parallelism.sequence_parallel);
  CHECK(other.recipe.training.precision == Precision::bf16);
  CHECK(other.placement.nodes == 4);
  second.overrides = {"launch=3"};
  CHECK(error_of([&] { read(script, second); }).find("1 to 2 would do") != std::string::npos);
  const ImportFile staged = with(with(script, "Qwen3-30B-A3B", "Qwen3-235B-A22B"),
                                 "TP=1 PP=1 EP=8 NNODES=2", "TP=1 PP=8 VPP=4 EP=8 NNODES=8");
  CHECK(read(staged, request).recipe.parallelism.account_for_loss_in_pipeline_split);
  const ImportFile unknown = with(script, "Qwen3-30B-A3B", "Own-30B");
  CHECK(error_of([&] { read(unknown, request); }).find("--model NAME takes one") !=
        std::string::npos);
}

TEST_CASE("arguments without a value in the file are named at once") {
  const std::string text =
      "MODEL_ARGS:\n  --num-layers: 2\n  --export-kd-teacher-load: ${T}\n  "
      "--tensor-model-parallel-size: ${TP}\n"
      "  --pipeline-model-parallel-size: ${PP}\n  --micro-batch-size: ${MBS}\n";
  CHECK(error_of([&] {
          read({"a.yaml", text}, on_h100());
        })
            .ends_with("--override tensor_model_parallel_size=VALUE sets one, --defaults takes the "
                       "framework's; nor have "
                       "--pipeline-model-parallel-size, --micro-batch-size"));
}

TEST_CASE("what only a run gives is the framework's default where the user wants it so") {
  const std::string text =
      "MODEL_ARGS:\n  --num-layers: 56\n  --hidden-size: 6144\n  --ffn-hidden-size: 16384\n"
      "  --num-attention-heads: 48\n  --group-query-attention: true\n  --num-query-groups: 8\n"
      "  --swiglu: true\n  --normalization: RMSNorm\n  --num-experts: 8\n"
      "  --moe-router-topk: 2\n  --disable-bias-linear: true\n"
      "  --untie-embeddings-and-output-weights: true\n  --position-embedding-type: rope\n"
      "  --tensor-model-parallel-size: ${TP}\n  --expert-model-parallel-size: ${EP}\n"
      "  --micro-batch-size: ${MBS}\n  --seq-length: ${SEQ_LEN}\n";
  RecipeRequest request = on_h100();
  request.defaults = true;
  const ImportedRecipe result = import_recipe({"a.yaml", text}, request);
  const Scenario scenario = scenario_in(result.yaml);
  CHECK(scenario.recipe.tp() == 1);
  CHECK(scenario.recipe.ep() == 1);
  CHECK(scenario.recipe.model.name == "mixtral-8x22b");
  CHECK(scenario.recipe.training.precision == Precision::bf16);
  CHECK(scenario.recipe.training.seq_length == 8192);
  CHECK(scenario.recipe.training.micro_batch_size == 1);
  CHECK(result.yaml.find("seq_length: 8192 # ASSUMED: --defaults: what is usual") !=
        std::string::npos);
  CHECK(std::any_of(result.notes.begin(), result.notes.end(), [](const std::string& note) {
    return note == "training.seq_length 8192 is assumed: --defaults: what is usual";
  }));
  const ImportFile given{"a.yaml", text + "  --seq-length: 4096\n"};
  CHECK_THROWS_AS(import_recipe(given, request), InputError);  // twice in one file
  const std::string shared =
      "  --moe-shared-expert-intermediate-size: 3072\n  --moe-shared-expert-overlap: true\n"
      "  --recompute-granularity: full\n  --recompute-method: uniform\n"
      "  --recompute-num-layers: 1\n  --vocab-size: 32768\n";
  const ImportedRecipe again = import_recipe({"a.yaml", text + shared}, request);
  CHECK(!scenario_in(again.yaml).recipe.moe.moe_shared_expert_overlap);
  CHECK(std::any_of(again.notes.begin(), again.notes.end(), [](const std::string& note) {
    return note.find("beside layers that are computed again whole") != std::string::npos;
  }));
  request.overrides = {"micro_batch_size=4", "+global_batch_size=8"};
  const Scenario few = scenario_in(import_recipe({"a.yaml", text}, request).yaml);
  CHECK(few.placement.nodes == 1);  // a batch of two replicas, on all eight GPUs of a node
  CHECK(few.recipe.training.global_batch_size == 32);
  request.overrides = {"tensor_model_parallel_size=1000000", "+context_parallel_size=1000000",
                       "+pipeline_model_parallel_size=1000000", "+global_batch_size=1000000000000"};
  CHECK_THROWS_AS(import_recipe({"a.yaml", text}, request), InputError);
  request.overrides = {"seq_length=4096", "micro_batch_size=2"};
  const Scenario own = scenario_in(import_recipe({"a.yaml", text}, request).yaml);
  CHECK(own.recipe.training.seq_length == 4096);
  CHECK(own.recipe.training.micro_batch_size == 2);
}

TEST_CASE("models are found by the names that frameworks and hubs have for them") {
  CHECK(named_model("meta-llama/Meta-Llama-3.1-8B-Instruct") == "llama3.1-8b");
  CHECK(named_model("llama3 8B") == "llama3.1-8b");
  CHECK(named_model("deepseek_v2_lite.yaml") == "deepseek-v2-lite");
  CHECK(named_model("gpt_oss_20b") == "gpt-oss-20b");
  CHECK(named_model("mistralai/Mixtral-8x7B-v0.1") == "mixtral-8x7b");
  CHECK(named_model("qwen3_600m") == "qwen3-0.6b");
  CHECK(named_model("Llama31Config8B") == "llama3.1-8b");
  CHECK(named_model("Qwen25ModelProvider1P5B") == "qwen2.5-1.5b");
  CHECK(named_model("KimiK2Provider") == "kimi-k2");
  CHECK(named_model("MistralConfig7B") == "mistral-7b");
  CHECK(!named_model("GPTModelProvider"));
  CHECK(!named_model("Config"));
  CHECK(!named_model("llama-3.1-18b"));
  CHECK(!named_model("base"));
  CHECK(!named_model(""));
  for (const std::string& model : data_folder().names("scenarios/models")) {
    CAPTURE(model);
    CHECK(named_model(model) == model);
  }
}

TEST_CASE("what is no training is told by the programs that it starts and the keys that it has") {
  const auto script = [](const std::string& text) { return other_purpose(text, true); };
  CHECK(script("torchrun --nproc-per-node 8 tools/run_text_generation_server.py --num-layers 2") ==
        "inference (run_text_generation_server.py)");
  CHECK(script("python convert_weights.py --tensor-model-parallel-size 2") ==
        "conversion of a checkpoint (convert_weights.py)");
  CHECK(script("python -m torch.distributed.run -m a.inference.serve") ==
        "inference (a.inference.serve)");
  CHECK(!script("python preprocess_data.py\npython pretrain_gpt.py --num-layers 2"));
  CHECK(script("rm -f a/*.py\npython x/run_inference.py") == "inference (run_inference.py)");
  CHECK(!script("# python generate.py\npython main.py"));
  CHECK(!script("python finetune_and_evaluate_train.py"));
  CHECK(!script("TP=8\n"));
  const auto yaml = [](const std::string& text) { return other_purpose(text, false); };
  CHECK(yaml("inference:\n  top_k: 0\ntrainer:\n  devices: 1\n"));
  CHECK(!yaml("model:\n  inference: 1\ntrainer:\n  devices: 1\n"));
  CHECK(!yaml("inference:\n  top_k: 0\nmodel:\n  x: 1\nexp_manager:\n  y: 1\n"));
  CHECK(yaml("{\"quantization\": {\"quant_algo\": \"NVFP4\"}}"));
  CHECK(!yaml("{\"hidden_size\": 1, \"quantization_config\": {\"quant_algo\": \"NVFP4\"}}"));
}

TEST_CASE("another exchange of context parallelism than p2p is refused") {
  RecipeRequest bridge = job("dgx-superpod-h100", "nemo-25.09");
  const ImportFile run_config = recipe_file("llama31_8b_bridge.yaml");
  bridge.overrides = {"+model.cp_comm_type=a2a"};
  CHECK(error_of([&] {
          import_recipe(run_config, bridge);
        }).find("context parallelism other than p2p is not modelled") != std::string::npos);
  bridge.overrides = {"+model.cp_comm_type=p2p"};
  CHECK(error_of([&] { import_recipe(run_config, bridge); }).empty());
}

TEST_CASE("another optimizer is refused, and states of other types are taken") {
  RecipeRequest bridge = job("dgx-superpod-h100", "nemo-25.09");
  bridge.overrides = {"+optimizer.optimizer=dist_muon"};
  const ImportFile run_config = recipe_file("llama31_8b_bridge.yaml");
  CHECK(error_of([&] {
          import_recipe(run_config, bridge);
        }).find("Adam is simulated; --override optimizer.optimizer=adam takes it") !=
        std::string::npos);
  bridge.overrides = {"+optimizer.optimizer=adam", "+optimizer.use_precision_aware_optimizer=true",
                      "+optimizer.main_params_dtype=torch.float32",
                      "+optimizer.exp_avg_dtype=torch.bfloat16", "+optimizer.exp_avg_sq_dtype=fp8"};
  const OptimizerSpec state = scenario_in(import_recipe(run_config, bridge).yaml).recipe.optimizer;
  CHECK(state.use_precision_aware_optimizer);
  CHECK(state.main_params_dtype == StateType::fp32);
  CHECK(state.exp_avg_dtype == StateType::bf16);
  CHECK(state.exp_avg_sq_dtype == StateType::fp8);
  CHECK(torch_type("bf16") == "torch.bfloat16");
  CHECK(torch_type("fp8") == "torch.uint8");
  CHECK_THROWS_AS(torch_type("int3"), std::invalid_argument);
  bridge.overrides.back() = "+optimizer.exp_avg_sq_dtype=int3";
  CHECK(error_of([&] { import_recipe(run_config, bridge); }).find("'int3' is no type of") !=
        std::string::npos);
  RecipeRequest nemo = job("dgx-superpod-h100", "nemo-25.02");
  nemo.overrides = {"+optim.config.optimizer=sgd"};
  CHECK(error_of([&] {
          import_recipe(recipe_file("llama31_70b_nemo2.yaml"), nemo);
        }).find("Adam is simulated") != std::string::npos);
}

}  // namespace
}  // namespace simtrain::testing::recipe_silence_test
