#include <doctest/doctest.h>

#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_words_test {
namespace {

/// The scenario of a recipe's text, with what only a run gives as usual.
Scenario imported(const std::string& text, RecipeRequest request, const std::string& path = "r") {
  request.defaults = true;
  return scenario_in(import_recipe({path, text}, request).yaml);
}

RecipeRequest on_h100(const std::string& software) { return job("dgx-superpod-h100", software); }

std::string megatron(const std::string& options) {
  return "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
         "--num-attention-heads 16 --seq-length 2048 --micro-batch-size 1 --global-batch-size 64 "
         "--bf16 --vocab-size 50257 " +
         options + "\n";
}

Recipe of_megatron(const std::string& options) {
  return imported(megatron(options), on_h100("megatron-core-2025")).recipe;
}

}  // namespace

TEST_CASE("NeMo 2's performance scripts have names of their own, as files and as modules") {
  const std::string options =
      " --gpu h100 --num_gpus 64 --tensor_parallel_size 4 --pipeline_parallel_size 4 "
      "--virtual_pipeline_parallel_size 5 --context_parallel_size 2 --micro_batch_size 1 "
      "--global_batch_size 128\n";
  for (const std::string script : {"python scripts/performance/llm/pretrain_llama3_70b.py",
                                   "python -m scripts.performance.llm.pretrain_llama3_70b"}) {
    const Recipe recipe = imported(script + options, on_h100("nemo-25.02.01")).recipe;
    CHECK(recipe.model.name == "llama3.1-70b");
    CHECK(recipe.tp() == 4);
    CHECK(recipe.pp() == 4);
    CHECK(recipe.vp() == 5);
    CHECK(recipe.cp() == 2);
  }
}

TEST_CASE("a factory's own number of nodes counts") {
  const std::string text =
      "nemo llm pretrain --factory \"llama3_8b(num_nodes=2, name='a')\" "
      "trainer.strategy.tensor_model_parallel_size=2\n";
  CHECK(imported(text, on_h100("nemo-25.02.01")).gpus() == 16);
}

TEST_CASE("overrides of a Bridge recipe leave the named model as it is") {
  RecipeRequest request = on_h100("nemo-25.09");
  request.model = "llama3.1-8b";
  const Recipe recipe =
      imported("model:\n  seq_length: 4096\ntrain:\n  global_batch_size: 64\n", request).recipe;
  const Recipe own = imported(
                         "model: {seq_length: 4096, num_layers: 32}\n"
                         "train: {global_batch_size: 64}\n",
                         request)
                         .recipe;
  CHECK(recipe.model.activation == Activation::swiglu);
  CHECK(recipe.model.normalization == Normalization::rmsnorm);
  CHECK_FALSE(recipe.model.add_bias_linear);
  CHECK(recipe.training.seq_length == own.training.seq_length);
}

TEST_CASE("a layout may be a list for each stage") {
  RecipeRequest request = on_h100("nemo-25.09");
  request.model = "llama3.2-1b";
  const std::string head =
      "train: {global_batch_size: 64, micro_batch_size: 1}\nmodel:\n"
      "  seq_length: 4096\n  pipeline_model_parallel_size: 2\n"
      "  pipeline_model_parallel_layout:\n  - [embedding";
  const std::string nine =
      ", decoder, decoder, decoder, decoder, decoder, decoder, decoder, decoder";
  const Recipe recipe =
      imported(head + nine + "]\n  - [decoder" + std::string(nine, 9) + ", loss]\n", request)
          .recipe;
  CHECK(recipe.parallelism.pipeline_model_parallel_layout.has_value());
  CHECK(error_of([&] { imported(head + ", encoder]\n", request); }).find("'encoder'; embedding") !=
        std::string::npos);
}

TEST_CASE("a script of a recipe of Megatron-Bridge names it as --recipe does") {
  const std::string text =
      "torchrun --nproc_per_node=8 examples/recipes/llama/pretrain_llama3_8b.py "
      "model.tensor_model_parallel_size=2 model.pipeline_model_parallel_size=1 "
      "train.global_batch_size=64 train.micro_batch_size=1 model.seq_length=4096\n";
  const Recipe recipe = imported(text, on_h100("nemo-25.09")).recipe;
  CHECK(recipe.model.name == "llama3.1-8b");
  CHECK(recipe.tp() == 2);
}

TEST_CASE("words of BigScience's fork") {
  const Recipe recipe = of_megatron(
      "--glu-activation swiglu --pad-vocab-size-to 65536 --pipeline-model-parallel-size 2 "
      "--pp-partition-method 'type:transformer|embedding'");
  CHECK(recipe.model.activation == Activation::swiglu);
  CHECK(recipe.model.vocab_size == 65536);
  CHECK(recipe.parallelism.account_for_embedding_in_pipeline_split);
  CHECK(recipe.parallelism.account_for_loss_in_pipeline_split);
  CHECK(of_megatron("--geglu").model.activation == Activation::swiglu);
}

TEST_CASE("experts of DeepSpeed exchange tokens all to all") {
  const Recipe recipe = of_megatron("--num-experts 8 --moe-expert-parallel-size 8 --topk 2");
  CHECK(recipe.moe.moe_token_dispatcher_type == TokenDispatcher::alltoall);
}

TEST_CASE("GPUs of a node that only a run counts are the cluster's") {
  const std::string counted =
      with({"r", megatron("")}, "--nproc_per_node 8", "--nproc_per_node $(nvidia-smi -L | wc -l)")
          .text;
  CHECK(scenario_in(import_recipe({"r", counted}, on_h100("megatron-core-2025")).yaml).gpus() == 8);
}

TEST_CASE("samples of a run may have marks, and lines of Slurm several options") {
  const std::string text =
      "#SBATCH <OPTIONS> --nodes=4 --exclusive\n" +
      megatron("--rampup-batch-size 32 32 5_000_000 --train-samples 1_000_000");
  const Scenario scenario = imported(
      "#!/bin/bash\n" + with({"r", text}, "torchrun --nproc_per_node 8", "srun python").text,
      on_h100("megatron-core-2025"));
  CHECK(scenario.gpus() == 32);
  CHECK(scenario.recipe.training.global_batch_size < 64);
}

TEST_CASE("GPT-NeoX: gas, its tokenizers and a window") {
  const std::string text =
      "{\"pipe_parallel_size\": 1, \"model_parallel_size\": 1, \"num_layers\": 24, "
      "\"hidden_size\": 2048, \"num_attention_heads\": 16, \"seq_length\": 2048, "
      "\"train_micro_batch_size_per_gpu\": 4, \"gas\": 2, \"sliding_window_width\": 1024, "
      "\"vocab_file\": \"/data/20B_tokenizer.json\"}\n";
  RecipeRequest request = job("dgx-superpod-a100", "gpt-neox-2023");
  request.nodes = 1;
  const Recipe recipe = scenario_in(import_recipe({"r", text}, request).yaml).recipe;
  CHECK(recipe.training.global_batch_size == 64);
  CHECK(recipe.model.vocab_size == 50304);
  CHECK(recipe.model.window_size == 1024);
  const std::string own = with({"r", text}, "20B_tokenizer.json", "gpt2-vocab.json").text;
  CHECK(scenario_in(import_recipe({"r", own}, request).yaml).recipe.model.vocab_size == 50304);
}

TEST_CASE("gated layers of LLM Foundry, and a run of its platform") {
  const std::string configuration =
      "max_seq_len: 2048\nglobal_train_batch_size: 64\ndevice_train_microbatch_size: 2\n"
      "precision: amp_bf16\nmodel:\n  name: mpt_causal_lm\n  d_model: 2048\n  n_layers: 24\n"
      "  n_heads: 16\n  vocab_size: 50368\n  ffn_config: {ffn_type: mptglu, ffn_hidden_size: "
      "5504}\n"
      "fsdp_config: {sharding_strategy: FULL_SHARD}\n";
  const RecipeRequest request = job("dgx-superpod-a100", "llm-foundry-2024-a100");
  CHECK(imported(configuration, request).recipe.model.activation == Activation::swiglu);
  std::string run = "name: run\ncompute: {gpus: 16}\ncommand: composer train.py\nparameters:\n  ";
  for (const char c : configuration) run += c == '\n' ? "\n  " : std::string(1, c);
  CHECK(imported(run, request).gpus() == 16);
}

TEST_CASE("nanotron's first experts are refused as its others are") {
  const std::string text =
      "general: {seed: 1}\ntokens: {sequence_length: 2048, micro_batch_size: 1, "
      "batch_accumulation_per_replica: 1, train_steps: 5}\nparallelism: {dp: 8, tp: 1, pp: 1}\n"
      "model:\n  dtype: bfloat16\n  model_config: {num_hidden_layers: 4, hidden_size: 1024, "
      "intermediate_size: 2816, num_attention_heads: 16, num_key_value_heads: 16, vocab_size: "
      "32000, "
      "is_llama_config: true, moe_num_experts: 4}\n";
  CHECK(error_of([&] { imported(text, on_h100("nanotron-2024")); }).find("moe_num_experts") !=
        std::string::npos);
}

TEST_CASE("a file of --yaml-cfg has arguments in sections") {
  const std::string text =
      "language_model:\n  num_layers: 24\n  hidden_size: 2048\n  num_attention_heads: 16\n"
      "  ffn_hidden_size: null\n  activation_func: swiglu\n  add_bias_linear: false\n"
      "model_parallel:\n  tensor_model_parallel_size: 2\n  bf16: true\n"
      "micro_batch_size: 2\nglobal_batch_size: 64\nseq_length: 2048\n"
      "tokenizer_type: GPT2BPETokenizer\n";
  CHECK(format_name(text) == "megatron-yaml-config");
  const Recipe recipe = imported(text, on_h100("megatron-core-2025")).recipe;
  CHECK(recipe.tp() == 2);
  CHECK(recipe.model.activation == Activation::swiglu);
  CHECK(recipe.training.micro_batch_size == 2);
}

TEST_CASE("what a DeepSpeed configuration leaves to a run's options is as usual, and marked so") {
  const std::string text =
      R"({"bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3, "reduce_bucket_size": )"
      R"("auto"}, "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto"})";
  RecipeRequest request = on_h100("deepspeed-2024");
  request.model = "llama3.1-8b";
  const ImportedRecipe made = import_recipe({"ds.json", text}, request);
  const Recipe recipe = scenario_in(made.yaml).recipe;
  CHECK(recipe.training.micro_batch_size == 1);
  CHECK(made.yaml.find("precision: bf16 # ASSUMED: is 'auto'") != std::string::npos);
  const std::string fp16 = R"({"fp16": {"enabled": true}, "bf16": {"enabled": "auto"}, )"
                           R"("train_micro_batch_size_per_gpu": "auto", "train_batch_size": 64})";
  const ImportedRecipe half = import_recipe({"ds.json", fp16}, request);
  CHECK(half.yaml.find("precision: bf16 # fp16.enabled") != std::string::npos);
}

TEST_CASE(
    "an OLMo configuration is not taken for LLM Foundry's, nor a Megatron script for Bridge's") {
  CHECK(format_name("model:\n  d_model: 4096\n  mlp_ratio: 6\n  weight_tying: false\n"
                    "global_train_batch_size: 2048\n") != "llm-foundry");
  CHECK(format_name("torchrun recipes/gpt/pretrain_gpt.py --num-layers 24\n") ==
        "megatron-arguments");
}

TEST_CASE("MaxText's file of a model whose layers are of their own kind is that of its name") {
  const std::string text =
      "base_emb_dim: 2880\nbase_num_query_heads: 64\nbase_num_kv_heads: 8\nbase_mlp_dim: 2880\n"
      "base_num_decoder_layers: 24\nhead_dim: 64\nmlp_activations: [\"sigmoid\", \"linear\"]\n"
      "vocab_size: 201088\nnum_experts: 32\nnum_experts_per_tok: 4\ndecoder_block: \"gpt_oss\"\n";
  const RecipeRequest request = on_h100("maxtext-2025");
  CHECK(imported(text, request, "models/gpt-oss-20b.yml").recipe.model.name == "gpt-oss-20b");
  CHECK(error_of([&] { imported(text, request, "models/own.yml"); }).find("'gpt_oss'") !=
        std::string::npos);
}

TEST_CASE("NeMo 1's Griffin has recurrent blocks, which its one key of its own tells") {
  const std::string text =
      "trainer: {devices: 8, num_nodes: 1, precision: bf16}\n"
      "model: {micro_batch_size: 1, global_batch_size: 8, encoder_seq_length: 1024, "
      "num_layers: 26, hidden_size: 2560, ffn_hidden_size: 7680, num_attention_heads: 10, "
      "vocab_size: 256000, "
      "activations_checkpoint_recurrent: false}\n";
  RecipeRequest request = on_h100("nemo-25.02");
  CHECK(error_of([&] { imported(text, request); }).find("RG-LRU") != std::string::npos);
  request.overrides = {"~model.activations_checkpoint_recurrent"};
  CHECK(imported(text, request).recipe.model.num_layers == 26);
}

}  // namespace simtrain::testing::recipe_words_test
