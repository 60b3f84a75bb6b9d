#include <doctest/doctest.h>

#include "sim/workload/model/layers/model_parts.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_coverage_test {
namespace {

// Classes of public recipes, each by a small example written here.

Scenario imported(const ImportFile& file, RecipeRequest request) {
  return scenario_in(import_recipe(file, request).yaml);
}

RecipeRequest h100_job(int nodes) {
  RecipeRequest request = job("dgx-superpod-h100", "megatron-core-2025");
  request.nodes = nodes;
  return request;
}

TEST_CASE("the configuration in a console log of Megatron-Bridge is that of its file") {
  const ImportFile plain = recipe_file("llama31_8b_bridge.yaml");
  std::string log = "0: starting\n0: ------- Task Configuration -------\n";
  std::string_view rest = plain.text;
  for (int number = 0; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    log += "0: " + std::string(line) + "\n";
    if (number == 5) log += "a line of another process\n";
  }
  log += "0: ----------------------------------\n0: iteration 1/ 50 | lm loss: 1.0\n";
  CHECK(format_name(log) == "megatron-bridge");
  const auto yaml = [](const Scenario& scenario) { return scenario.recipe.training.seq_length; };
  const Scenario mine = imported({"console.log", log}, h100_job(1));
  const Scenario known = imported(plain, h100_job(1));
  CHECK(yaml(mine) == yaml(known));
  CHECK(mine.recipe.model.name == known.recipe.model.name);
  CHECK(mine.recipe.cp() == 2);
  const std::string broken = log.substr(0, log.find("seq_length")) + "seq_length: [\n";
  CHECK(error_of([&] {
          imported({"console.log", broken}, h100_job(1));
        }).starts_with("console.log:"));
}

TEST_CASE("a model file of MaxText trains with the rest of its base.yml") {
  const std::string file =
      "base_emb_dim: 5120\nbase_num_query_heads: 40\nbase_num_kv_heads: 8\nbase_mlp_dim: 17408\n"
      "base_num_decoder_layers: 40\nhead_dim: 128\nmlp_activations: [\"silu\", \"linear\"]\n"
      "vocab_size: 151936\ndecoder_block: \"qwen3\"\nuse_qk_norm: true\n"
      "logits_via_embedding: false\n";
  RecipeRequest request = job("dgx-superpod-h100", "maxtext-2025");
  request.nodes = 2;
  CHECK(imported({"qwen3-14b.yml", file}, request).recipe.model.name == "qwen3-14b");
  const ImportFile other =
      with({"mine.yml", file}, "decoder_block: \"qwen3\"", "decoder_block: \"own\"");
  CHECK(error_of([&] { imported(other, request); }).find("--override decoder_block=llama2") !=
        std::string::npos);
}

TEST_CASE("the text model of a configuration that sees is imported, by a name made of the file's") {
  const std::string file =
      R"({"model_type": "qwen3_vl", "tie_word_embeddings": false, "vision_config": {"depth": 27},
          "text_config": {"model_type": "qwen3_vl_text", "hidden_size": 5120,
            "intermediate_size": 25600, "num_attention_heads": 64, "num_hidden_layers": 64,
            "num_key_value_heads": 8, "head_dim": 128, "hidden_act": "silu", "vocab_size": 151936}})";
  const ImportedRecipe model = import_recipe({"some/Qwen--Qwen3-VL_32B config.json", file}, {});
  CHECK(model.yaml.find("\nname: qwen--qwen3-vl_32b-config ") != std::string::npos);
  CHECK(model.yaml.find("\nnum_layers: 64 ") != std::string::npos);
  CHECK(model.yaml.find("\nqk_layernorm: true ") != std::string::npos);
}

TEST_CASE("MaxText's blocks of Gemma and DeepSeek are the layers of those models") {
  RecipeRequest request = job("dgx-superpod-h100", "maxtext-2025");
  request.nodes = 1;
  const auto model = [&](const std::string& text) {
    return imported({"model.yml", text}, request).recipe.model;
  };
  const ModelSpec gemma = model(
      "base_emb_dim: 3584\nbase_num_query_heads: 16\nbase_num_kv_heads: 8\nbase_mlp_dim: 14336\n"
      "base_num_decoder_layers: 21\nhead_dim: 256\nmlp_activations: [\"gelu\", \"linear\"]\n"
      "vocab_size: 256128\ndecoder_block: \"gemma2\"\nlogits_via_embedding: true\n"
      "sliding_window_size: 4096\nuse_post_attn_norm: true\n");
  CHECK(gemma.num_layers == 42);
  CHECK(static_cast<double>(model_parameters(gemma)) == doctest::Approx(9.24e9).epsilon(0.001));
  REQUIRE(gemma.window_size);
  CHECK(*gemma.window_size == 4096);
  const ModelSpec deepseek = model(
      "base_emb_dim: 2048\nbase_num_query_heads: 16\nbase_num_kv_heads: 16\nbase_mlp_dim: 10944\n"
      "base_moe_mlp_dim: 1408\nbase_num_decoder_layers: 27\nfirst_num_dense_layers: 1\n"
      "mlp_activations: [\"silu\", \"linear\"]\nvocab_size: 102400\nnum_experts: 64\n"
      "num_experts_per_tok: 6\nshared_experts: 2\ndecoder_block: \"deepseek\"\n"
      "attention_type: \"mla\"\nq_lora_rank: 0\nkv_lora_rank: 512\nqk_nope_head_dim: 128\n"
      "qk_rope_head_dim: 64\nv_head_dim: 128\n");
  CHECK(deepseek.name == "deepseek-v2-lite");
}

TEST_CASE("a script of torchrun alone is of one node, and an error of too few names the option") {
  const RecipeRequest request = job("dgx-superpod-h100", "megatron-core-2025");
  ImportFile script = recipe_file("gpt15b_megatron.sh");
  for (const std::string option : {"--nnodes", "--tokenizer-type"}) {
    const std::size_t at = script.text.find(option);
    REQUIRE(at != std::string::npos);
    script.text.erase(at, script.text.find_first_of("\\\n", at) - at);
  }
  script =
      with(script, "--bf16", "--bf16 --no-position-embedding --train-iters $1 --tokenizer-type $2");
  const Scenario small = imported(script, request);
  CHECK(small.placement.nodes == 1);
  CHECK(small.recipe.model.rotary_percent == 0.5);
  const ImportFile large = with(script, "parallel-size=1 ", "parallel-size=4 ");
  CHECK(error_of([&] { imported(large, request); })
            .ends_with("no multiple of TP 8 x CP 1 x PP 4 = 32; --nodes N takes another number of "
                       "nodes"));
  RecipeRequest asked = request;
  asked.nodes = 1;
  CHECK(error_of([&] { imported(large, asked); }).ends_with("TP 8 x CP 1 x PP 4 = 32"));
}

TEST_CASE("FP4 by NVFP4 is read, FP16 is taken as BF16 and reported") {
  const ImportFile script = recipe_file("gpt15b_megatron.sh");
  const ImportFile narrow = with(script, "--bf16", "--bf16 --fp4-format e2m1 --fp4-recipe nvfp4");
  CHECK(imported(narrow, job("gcp-a4", "megatron-core-2025")).recipe.training.precision ==
        Precision::nvfp4);
  const ImportFile half = with(script, "--bf16", "--fp16");
  const RecipeRequest request = job("dgx-superpod-h100", "megatron-core-2025");
  CHECK(imported(half, request).recipe.training.precision == Precision::bf16);
  const ImportedRecipe reported = import_recipe(half, request);
  CHECK(reported.yaml.find("precision: bf16 # --fp16: FP16, as BF16") != std::string::npos);
  CHECK(std::any_of(reported.notes.begin(), reported.notes.end(), [](const std::string& note) {
    return note.find("loss scaling") != std::string::npos;
  }));
}

TEST_CASE("recompute of the first layers of a chunk is that of all, of none or of every n-th") {
  const auto recompute = [](const std::string& layers) {
    const ImportFile script = with(recipe_file("gpt15b_megatron.sh"), "--bf16",
                                   "--bf16 --recompute-granularity full --recompute-method block "
                                   "--recompute-num-layers " +
                                       layers);
    return imported(script, job("dgx-superpod-h100", "megatron-core-2025")).recipe;
  };
  CHECK(recompute("32").recompute == Recompute::full);
  CHECK(recompute("40").recompute == Recompute::full);
  CHECK(recompute("0").recompute == Recompute::none);
  CHECK(recompute("8").recompute == Recompute::full);
  CHECK(recompute("8").recompute_every_nth_layer == 4);
  CHECK(recompute("5").recompute_every_nth_layer == 6);
  CHECK(recompute("32").recompute_every_nth_layer == 1);
  CHECK(error_of([&] {
          static_cast<void>(recompute("31"));
        }).find("recompute of 31 layers of the 32 of a chunk is not modelled; --set recompute=") !=
        std::string::npos);
}

TEST_CASE("files of a vocabulary and its merges are GPT-2's tokenizer") {
  const ImportFile script = with(recipe_file("gpt15b_megatron.sh"),
                                 "--tokenizer-type HuggingFaceTokenizer\n    --vocab-size 256000",
                                 "--vocab-file bpe/vocab.json\n    --merge-file bpe/merges.txt");
  CHECK(imported(script, job("dgx-superpod-h100", "megatron-core-2025")).recipe.model.vocab_size ==
        51200);
}

TEST_CASE("a tokenizer of a known model on a hub has its vocabulary") {
  const auto vocabulary = [](const std::string& tokenizer) {
    const ImportFile script = with(recipe_file("gpt15b_megatron.sh"),
                                   "--tokenizer-type HuggingFaceTokenizer\n    --vocab-size 256000",
                                   "--tokenizer-type HuggingFaceTokenizer" + tokenizer);
    return imported(script, job("dgx-superpod-h100", "megatron-core-2025")).recipe.model.vocab_size;
  };
  CHECK(vocabulary(" --tokenizer-model Qwen/Qwen3-32B") == 152576);  // 151936 to 128 x TP 8
  CHECK(vocabulary(" --tokenizer-model $OWN") == 256000);            // the model's that is like it
  CHECK(vocabulary(" --tokenizer-model own/name --vocab-size 1000") == 1024);
}

TEST_CASE("a recipe may take the latent attention of its model away") {
  const std::string file =
      "modules:\n  pre_trainer:\n    framework: megatron\n    model: "
      "${MODEL:deepseek_v2_lite}.yaml\n"
      "    overrides:\n      micro_batch_size: 1\n      global_batch_size: 64\n      seq_length: "
      "4096\n"
      "      multi_latent_attention: false\n      expert_model_parallel_size: 8\n";
  const ModelSpec model = imported({"primus.yaml", file}, h100_job(1)).recipe.model;
  CHECK(!model.multi_latent_attention);
  CHECK(model.has_experts());
  CHECK(model.hidden_size == 2048);
}

}  // namespace
}  // namespace simtrain::testing::recipe_coverage_test
