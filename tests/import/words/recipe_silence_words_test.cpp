#include <string>

#include <doctest/doctest.h>

#include "sim/import/model/named_model.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"
#include "tests/import/shell/script_folder.h"

// What a recipe leaves to a file that is not there, to a model's name or to a variable.
namespace simtrain::testing::recipe_silence_words_test {
namespace {

/// A configuration of NeMo 1, to which keys of its model can be added.
const std::string kNemo1 =
    "trainer: {num_nodes: 1, precision: bf16}\nmodel:\n  num_layers: 24\n  hidden_size: 2048\n"
    "  num_attention_heads: 16\n  ffn_hidden_size: 8192\n  encoder_seq_length: 2048\n"
    "  micro_batch_size: 4\n  override_vocab_size: 50304\n";

RecipeRequest on_h100(const std::string& software) { return job("dgx-superpod-h100", software); }

Scenario imported(const std::string& text, RecipeRequest request, const std::string& path = "r") {
  return scenario_in(import_recipe({path, text}, request).yaml);
}

Scenario by_defaults(const std::string& text, RecipeRequest request,
                     const std::string& path = "r") {
  request.defaults = true;
  return imported(text, request, path);
}

bool names_defaults(const std::string& text, const RecipeRequest& request) {
  return error_of([&] {
           static_cast<void>(imported(text, request));
         }).find("which is not there; put it beside the script, or --defaults takes") !=
         std::string::npos;
}

}  // namespace

TEST_CASE("a configuration that is not there is the model of its name and the launch's keys") {
  const std::string launcher =
      "HYDRA_FULL_ERROR=1 python3 main.py training=gpt3/5b stages=[training] \\\n"
      "  cluster=interactive training.model.micro_batch_size=2 \\\n"
      "  training.model.global_batch_size=256 training.trainer.num_nodes=4 \\\n"
      "  training.model.encoder_seq_length=2048 training.model.tensor_model_parallel_size=2 \\\n"
      "  training.trainer.precision=bf16\n";
  CHECK(names_defaults(launcher, on_h100("nemo-24.04")));
  const Scenario scenario = by_defaults(launcher, on_h100("nemo-24.04"));
  CHECK(scenario.recipe.model.name == "gpt3-5b");
  CHECK(scenario.recipe.tp() == 2);
  CHECK(scenario.recipe.training.global_batch_size == 256);
  CHECK(scenario.gpus() == 32);

  const std::string titan =
      "CONFIG_FILE=./train_configs/llama3_70b.toml NGPU=8 ./run_train.sh "
      "--training.local_batch_size 2 --parallelism.tensor_parallel_degree 4\n";
  CHECK(names_defaults(titan, on_h100("torchtitan-2025")));
  const Recipe sharded = by_defaults(titan, on_h100("torchtitan-2025")).recipe;
  CHECK(sharded.model.name == "llama3.1-70b");
  CHECK(sharded.tp() == 4);
  CHECK(sharded.training.micro_batch_size == 2);
}

TEST_CASE("NeMo 1's program without a configuration's name starts from its own") {
  const std::string text =
      "torchrun --nproc_per_node=8 examples/nlp/language_modeling/megatron_gpt_pretraining.py \\\n"
      "  trainer.num_nodes=1 trainer.devices=8 trainer.precision=bf16 model.num_layers=24 \\\n"
      "  model.hidden_size=2048 model.num_attention_heads=16 model.ffn_hidden_size=8192 \\\n"
      "  model.encoder_seq_length=2048 model.micro_batch_size=4 model.global_batch_size=64 \\\n"
      "  model.override_vocab_size=50304 model.tensor_model_parallel_size=$TP\n";
  CHECK(names_defaults(text, on_h100("nemo-24.04")));
  const Recipe recipe = by_defaults(text, on_h100("nemo-24.04")).recipe;
  CHECK(recipe.model.num_layers == 24);
  CHECK(recipe.model.vocab_size == 50304);
  CHECK(recipe.tp() == 1);
}

TEST_CASE("a variable without a value is named where a configuration's key has it") {
  const std::string text = kNemo1 + "  tensor_model_parallel_size: $TP\n";
  CHECK(error_of([&] { static_cast<void>(imported(text, on_h100("nemo-24.04"))); })
            .find("'$TP' has no value in the file; --override "
                  "model.tensor_model_parallel_size=VALUE sets one, --defaults") !=
        std::string::npos);
  CHECK(by_defaults(text, on_h100("nemo-24.04")).recipe.tp() == 1);
}

TEST_CASE("NeMo 1's fine-tuning takes its model from the checkpoint, its length from the data") {
  const std::string text =
      "trainer: {num_nodes: 1, precision: bf16}\nmodel:\n"
      "  restore_from_path: /checkpoints/llama2_7b.nemo\n"
      "  tensor_model_parallel_size: 2\n  micro_batch_size: 1\n  global_batch_size: 128\n"
      "  data:\n    train_ds: {max_seq_length: 4096}\n";
  const Recipe recipe = imported(text, on_h100("nemo-24.04")).recipe;
  CHECK(recipe.model.name == "llama2-7b");
  CHECK(recipe.model.activation == Activation::swiglu);
  CHECK(recipe.model.normalization == Normalization::rmsnorm);
  CHECK_FALSE(recipe.model.add_bias_linear);
  CHECK(recipe.training.seq_length == 4096);
}

TEST_CASE("of models that differ in their vocabulary a recipe's is that of its name") {
  const std::string shape =
      "trainer: {num_nodes: 8, precision: bf16}\nmodel:\n  num_layers: 80\n  hidden_size: 8192\n"
      "  num_attention_heads: 64\n  num_query_groups: 8\n  ffn_hidden_size: 28672\n"
      "  normalization: rmsnorm\n  activation: fast-swiglu\n  bias: false\n"
      "  hidden_dropout: 0\n  position_embedding_type: rope\n"
      "  share_embeddings_and_output_weights: false\n  encoder_seq_length: 4096\n"
      "  micro_batch_size: 1\n  global_batch_size: 128\n  tensor_model_parallel_size: 4\n"
      "  pipeline_model_parallel_size: 4\n";
  CHECK(error_of([&] {
          static_cast<void>(imported(shape, on_h100("nemo-24.04"), "recipe.yaml"));
        }).find("whose vocabularies differ") != std::string::npos);
  CHECK(imported("name: megatron_llama2_70b\n" + shape, on_h100("nemo-24.04"), "recipe.yaml")
            .recipe.model.name == "llama2-70b");
  CHECK(imported(shape, on_h100("nemo-24.04"), "conf/llama3_70b.yaml").recipe.model.name ==
        "llama3.1-70b");
}

TEST_CASE("a MaxText command whose configuration is not there is no model of MaxText's own size") {
  const std::string text =
      "python3 -m MaxText.train MaxText/configs/models/gpu/llama2_7b.yml per_device_batch_size=4 "
      "max_target_length=4096 dcn_data_parallelism=2 ici_fsdp_parallelism=8\n";
  CHECK(error_of([&] { static_cast<void>(imported(text, on_h100("maxtext-2024.12"))); })
            .find("base_config: starts from 'MaxText/configs/models/gpu/llama2_7b.yml', which is "
                  "not there") != std::string::npos);
  CHECK(by_defaults(text, on_h100("maxtext-2024.12")).recipe.model.name == "llama2-7b");
}

TEST_CASE("a performance launch may change keys behind its options") {
  const std::string text =
      "python scripts/performance/setup_experiment.py -m llama3 -s 8b -ng 8 -tp 1 -pp 1 -mb 1 "
      "-gb 128 model.seq_length=4096 model.recompute_granularity=full\n";
  const Recipe recipe = imported(text, on_h100("nemo-25.09")).recipe;
  CHECK(recipe.training.seq_length == 4096);
  CHECK(recipe.recompute == Recompute::full);
}

TEST_CASE("NeMo 2's factory has a letter, and other commands may come before") {
  const std::string text =
      "nemo llm import model=llama3_70b source=hf://meta-llama/Meta-Llama-3-70B -y\n"
      "nemo llm finetune -f llama3_70b trainer.num_nodes=1 trainer.devices=8 "
      "trainer.strategy.tensor_model_parallel_size=8 "
      "trainer.strategy.pipeline_model_parallel_size=1 data.seq_length=2048 "
      "data.micro_batch_size=1 data.global_batch_size=64 -y\n";
  const Recipe recipe = imported(text, on_h100("nemo-25.02.01")).recipe;
  CHECK(recipe.model.name == "llama3.1-70b");
  CHECK(recipe.tp() == 8);
  CHECK(recipe.lora.has_value());
}

TEST_CASE("layers that do not split are filled into chunks, the last of what is left") {
  const std::string text =
      "torchrun --nproc_per_node=8 --nnodes=32 scripts/training/run_recipe.py "
      "--recipe deepseek_v3_pretrain_config model.tensor_model_parallel_size=1 "
      "model.pipeline_model_parallel_size=16 model.expert_model_parallel_size=8 "
      "model.seq_length=4096 train.global_batch_size=256 train.micro_batch_size=1\n";
  const Recipe recipe = imported(text, on_h100("nemo-25.09")).recipe;
  CHECK(recipe.parallelism.pipeline_model_parallel_layout == "Et*4|(t*4|)*14t*1m*1L");
}

TEST_CASE("Primus-Turbo's exchange and precision are those of Megatron and torchtitan") {
  const std::string megatron =
      "modules:\n  pre_trainer:\n    framework: megatron\n    model: deepseek_v2_lite.yaml\n"
      "    overrides:\n      micro_batch_size: 4\n      global_batch_size: 256\n"
      "      seq_length: 4096\n      expert_model_parallel_size: 8\n"
      "      multi_latent_attention: true\n      mtp_num_layers: null\n"
      "      use_turbo_deepep: true\n      turbo_deepep_num_cu: 64\n";
  const Recipe recipe = imported(megatron, on_h100("megatron-core-2025")).recipe;
  CHECK(recipe.moe.moe_token_dispatcher_type == TokenDispatcher::flex);
  CHECK(recipe.moe.moe_flex_dispatcher_num_sms == 64);
  CHECK(recipe.model.multi_latent_attention->kv_lora_rank == 512);
  const ImportFile titan = recipe_file("llama31_8b_primus.yaml");
  const RecipeRequest request = on_h100("torchtitan-2025");
  const auto precision = [&](const ImportFile& file) {
    return scenario_in(import_recipe(file, request).yaml).recipe.training.precision;
  };
  CHECK(precision(titan) == Precision::bf16);
  CHECK(precision(with(titan, "overrides:",
                       "overrides:\n      primus_turbo: {use_turbo_float8_linear: true}")) ==
        Precision::fp8_cs);
  CHECK(precision(with(titan, "llama3.1_8B}.yaml", "llama3.1_8B-fp8}.yaml")) == Precision::fp8_cs);
}

TEST_CASE("GPT-NeoX's size of a gated FFN is a third of what it gives, or of its default") {
  const auto ffn = [](const std::string& keys) {
    const std::string text =
        "pipe_parallel_size: 1\nmodel_parallel_size: 1\nnum_layers: 32\nhidden_size: 4096\n"
        "num_attention_heads: 32\nseq_length: 2048\ntrain_micro_batch_size_per_gpu: 4\n"
        "padded_vocab_size: 50304\nactivation: swiglu\n" +
        keys;
    return imported(text, on_h100("gpt-neox-2023")).recipe.model.ffn_hidden_size;
  };
  CHECK(ffn("intermediate_size: 32768\nmlp_multiple_of: 256\n") == 11008);
  CHECK(ffn("intermediate_size: 33024\n") == 11008);
  CHECK(ffn("mlp_multiple_of: 256\n") == 5632);
}

TEST_CASE("options of forks and of first releases have their own meaning") {
  const std::string head =
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size 2048 "
      "--num-attention-heads 16 --seq-length 2048 --vocab-size 50257 --fp16 ";
  const Recipe first =
      imported(head + "--model-parallel-size 4 --batch-size 8\n", on_h100("megatron-2021")).recipe;
  CHECK(first.tp() == 4);
  CHECK(first.training.micro_batch_size == 8);
  const Recipe mixture = imported(head +
                                      "--micro-batch-size 2 --global-batch-size 64 --num-experts 8 "
                                      "--moe-expert-parallel-size 8 --expert-interval 2\n",
                                  on_h100("megatron-deepspeed-2022"))
                             .recipe;
  REQUIRE(mixture.model.layers.has_value());
  CHECK(mixture.model.layers->front().blocks.back() == BlockKind::mlp);
  CHECK(mixture.model.layers->back().blocks.back() == BlockKind::moe);
}

TEST_CASE("a name is found in a longer one with its number whole") {
  CHECK(model_named_in("graph_trainer_llama3_8b_test") == "llama3.1-8b");
  CHECK(model_named_in("/checkpoints/gpt2.nemo") == "gpt2-124m");
  CHECK_FALSE(model_named_in("megatron_gpt_22b").has_value());
  CHECK_FALSE(model_named_in("megatron_gpt_2b").has_value());
}

TEST_CASE("an override counts over other keys that say the same") {
  RecipeRequest request = on_h100("nemo-24.04");
  const std::string text = kNemo1 + "  data: {seq_length: 4096}\n";
  CHECK(error_of([&] {
          static_cast<void>(imported(text, request));
        }).find("--override model.data.seq_length=VALUE settles it") != std::string::npos);
  request.overrides = {"model.data.seq_length=1024"};
  CHECK(imported(text, request).recipe.training.seq_length == 1024);
}

TEST_CASE("a hybrid's layers of multi-token prediction are left out by one override") {
  RecipeRequest request = on_h100("megatron-core-2025");
  const std::string text =
      "torchrun --nproc_per_node 8 pretrain_mamba.py --num-layers 4 --hidden-size 4096 "
      "--num-attention-heads 32 --ffn-hidden-size 16384 --seq-length 2048 --micro-batch-size 1 "
      "--bf16 --vocab-size 131072 --hybrid-layer-pattern M-M*/M* --mtp-num-layers 1 "
      "--is-hybrid-model --mamba-num-heads 64 --disable-bias-linear\n";
  CHECK(error_of([&] {
          static_cast<void>(imported(text, request));
        }).find("--override mtp_num_layers=0 leaves") != std::string::npos);
  request.overrides = {"mtp_num_layers=0"};
  CHECK(imported(text, request).recipe.model.hybrid_override_pattern == "M-M*");
}

TEST_CASE("files of known tokenizers have their vocabularies") {
  const auto vocabulary = [](const std::string& options) {
    const std::string text =
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
        "--num-attention-heads 16 --seq-length 2048 --micro-batch-size 1 --bf16 " +
        options + "\n";
    return imported(text, on_h100("megatron-core-2025")).recipe.model.vocab_size;
  };
  CHECK(vocabulary("--tokenizer-type GPTSentencePieceTokenizer --tokenizer-model "
                   "/data/nemotron_2_256k.model") == 256000);
  CHECK(vocabulary("--tokenizer-type MistralTokenizer --tokenizer-model /m/tokenizer.model") ==
        32000);
}

}  // namespace simtrain::testing::recipe_silence_words_test
