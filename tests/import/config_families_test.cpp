// Hugging Face's config.json of families that differ in how they name their sizes and in what their
// code decides: parameters by the shape that is read, against the published ones.
#include <doctest/doctest.h>

#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/layers/layer_list.h"
#include "sim/workload/model/layers/model_parts.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::config_families_test {
namespace {

ImportedRecipe imported(const std::string& config) {
  RecipeRequest request;
  request.name = "own";
  return import_recipe({"config.json", "{" + config + "}"}, request);
}

ModelSpec model_of(const std::string& config) {
  return read_yaml<ModelSpec>(load_yaml_text(imported(config).yaml, "model.yaml"), "");
}

int windows_of(const ModelSpec& model) {
  int windows = 0;
  for (const LayerSpec& layer : layer_specs(model)) {
    if (layer.blocks.front() == BlockKind::swa) windows += layer.repeat;
  }
  return windows;
}

bool reports(const ImportedRecipe& recipe, const std::string& what) {
  return recipe.yaml.find(what) != std::string::npos;
}

/// A model, its published parameters in billions, and what of them is not simulated (learned
/// positions, biases), as a share.
struct Published {
  std::string config;
  double parameters = 0;
  double left_out = 0.002;
};

const std::string kGemma2 = R"("model_type": "gemma2", "hidden_size": 3584,
  "intermediate_size": 14336, "num_attention_heads": 16, "num_hidden_layers": 42,
  "num_key_value_heads": 8, "head_dim": 256, "hidden_act": "gelu_pytorch_tanh",
  "hidden_activation": "gelu_pytorch_tanh", "sliding_window": 4096, "vocab_size": 256000)";
const std::string kFalcon7b = R"("model_type": "falcon", "hidden_size": 4544,
  "num_attention_heads": 71, "num_kv_heads": 71, "num_hidden_layers": 32, "multi_query": true,
  "new_decoder_architecture": false, "parallel_attn": true, "bias": false, "vocab_size": 65024)";
const std::string kFalcon40b = R"("model_type": "falcon", "hidden_size": 8192,
  "num_attention_heads": 128, "num_kv_heads": 8, "num_hidden_layers": 60, "multi_query": true,
  "new_decoder_architecture": true, "tie_word_embeddings": false, "vocab_size": 65024)";
const std::string kGptJ = R"("model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_inner": null,
  "n_layer": 28, "rotary_dim": 64, "activation_function": "gelu_new", "tie_word_embeddings": false,
  "vocab_size": 50400)";
const std::string kQwen = R"("model_type": "qwen", "hidden_size": 4096, "intermediate_size": 22016,
  "kv_channels": 128, "num_attention_heads": 32, "num_hidden_layers": 32, "no_bias": true,
  "rotary_pct": 1.0, "tie_word_embeddings": false, "vocab_size": 151936)";
const std::string kOpt = R"("model_type": "opt", "hidden_size": 7168, "ffn_dim": 28672,
  "num_hidden_layers": 48, "num_attention_heads": 56, "activation_function": "relu",
  "dropout": 0.1, "vocab_size": 50272)";
const std::string kExaone4 = R"("model_type": "exaone4", "hidden_size": 5120,
  "intermediate_size": 27392, "num_attention_heads": 40, "num_hidden_layers": 64,
  "num_key_value_heads": 8, "head_dim": 128, "sliding_window": 4096,
  "sliding_window_pattern": "LLLG", "tie_word_embeddings": false, "vocab_size": 102400)";
const std::string kGemma3 = R"("model_type": "gemma3", "vision_config": {"hidden_size": 1152},
  "text_config": {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
  "num_hidden_layers": 34, "sliding_window": 1024})";

const std::string kApertus = R"("model_type": "apertus", "hidden_act": "xielu",
  "hidden_size": 4096, "intermediate_size": 21504, "num_attention_heads": 32,
  "num_hidden_layers": 32, "num_key_value_heads": 8, "qk_norm": true, "tie_word_embeddings": false,
  "vocab_size": 131072)";

TEST_CASE("configurations of many families have the parameters that are published") {
  const std::vector<Published> models{
      {kGemma2, 9.242},
      {kGemma3, 3.880},
      {kFalcon7b, 6.922},
      {kFalcon40b, 41.84},
      {kGptJ, 6.053},
      {kQwen, 7.721},
      {kOpt, 29.975},
      {kExaone4, 32.003},
      {R"("model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240,
         "num_attention_heads": 32, "num_hidden_layers": 32, "hidden_act": "gelu_new",
         "tie_word_embeddings": false, "vocab_size": 51200)",
       2.780},
      {R"("model_type": "gpt_neox", "hidden_size": 6144, "intermediate_size": 24576,
         "num_attention_heads": 64, "num_hidden_layers": 44, "hidden_act": "gelu_fast",
         "tie_word_embeddings": false, "vocab_size": 50432)",
       20.555},
      {R"("model_type": "gpt2", "n_embd": 1600, "n_head": 25, "n_layer": 48, "vocab_size": 50257)",
       1.5576},
      {R"("model_type": "gpt_bigcode", "n_embd": 6144, "n_head": 48, "n_inner": 24576,
         "n_layer": 40, "multi_query": true, "vocab_size": 49152)",
       15.518, 0.004},
      {R"("model_type": "starcoder2", "hidden_size": 3072, "intermediate_size": 12288,
         "num_attention_heads": 24, "num_hidden_layers": 30, "num_key_value_heads": 2,
         "use_bias": true, "sliding_window": 4096, "vocab_size": 49152)",
       3.030},
      {R"("model_type": "bloom", "n_embed": 4096, "n_layer": 30, "num_attention_heads": 32,
         "vocab_size": 250880)",
       7.069},
      {R"("model_type": "mpt", "d_model": 4096, "expansion_ratio": 4, "n_heads": 32,
         "n_layers": 32, "no_bias": true, "attn_config": {"alibi": true}, "vocab_size": 50432)",
       6.649},
      {R"("model_type": "chatglm", "hidden_size": 4096, "ffn_hidden_size": 13696,
         "kv_channels": 128, "multi_query_group_num": 2, "num_attention_heads": 32,
         "num_layers": 28, "padded_vocab_size": 65024)",
       6.244},
      {R"("model_type": "glm4", "hidden_size": 6144, "intermediate_size": 23040,
         "num_attention_heads": 48, "num_hidden_layers": 61, "num_key_value_heads": 2,
         "attention_bias": false, "tie_word_embeddings": false, "vocab_size": 151552)",
       32.566},
      {R"("model_type": "internlm2", "bias": false, "hidden_size": 6144,
         "intermediate_size": 16384, "num_attention_heads": 48, "num_hidden_layers": 48,
         "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 92544)",
       19.861},
      {R"("model_type": "cohere2", "hidden_size": 4096, "intermediate_size": 14336,
         "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
         "sliding_window": 4096, "sliding_window_pattern": 4, "vocab_size": 256000)",
       8.028},
      {R"("model_type": "olmoe", "hidden_size": 2048, "intermediate_size": 1024,
         "num_attention_heads": 16, "num_experts": 64, "num_experts_per_tok": 8,
         "num_hidden_layers": 16, "vocab_size": 50304)",
       6.919},
      {R"("model_type": "phimoe", "attention_bias": true, "hidden_size": 4096,
         "intermediate_size": 6400, "num_attention_heads": 32, "num_hidden_layers": 32,
         "num_key_value_heads": 8, "num_local_experts": 16, "num_experts_per_tok": 2,
         "vocab_size": 32064)",
       41.873},
      {R"("model_type": "deepseek", "first_k_dense_replace": 1, "hidden_size": 2048,
         "intermediate_size": 10944, "moe_intermediate_size": 1408, "moe_layer_freq": 1,
         "n_routed_experts": 64, "n_shared_experts": 2, "num_attention_heads": 16,
         "num_experts_per_tok": 6, "num_hidden_layers": 28, "num_key_value_heads": 16,
         "vocab_size": 102400)",
       16.376},
      {R"("model_type": "dots1", "first_k_dense_replace": 1, "hidden_size": 4096,
         "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 128,
         "n_shared_experts": 2, "num_attention_heads": 32, "num_experts_per_tok": 6,
         "num_hidden_layers": 62, "num_key_value_heads": 32, "vocab_size": 152064)",
       142.774},
      {kApertus, 8.053},
      {R"("model_type": "mimo", "attention_bias": true, "hidden_size": 4096,
         "intermediate_size": 11008, "num_attention_heads": 32, "num_hidden_layers": 36,
         "num_key_value_heads": 8, "num_nextn_predict_layers": 1, "tie_word_embeddings": false,
         "vocab_size": 151680)",
       7.83},
      {R"("model_type": "ernie4_5_moe", "hidden_size": 2560, "intermediate_size": 12288,
         "moe_capacity": [64, 64, 64], "moe_intermediate_size": 1536, "moe_k": 6,
         "moe_layer_end_index": 27, "moe_layer_interval": 1, "moe_layer_start_index": 1,
         "moe_num_experts": 64, "moe_num_shared_experts": 2, "num_attention_heads": 20,
         "num_hidden_layers": 28, "num_key_value_heads": 4, "head_dim": 128, "use_bias": false,
         "vocab_size": 103424)",
       21.83},
      {R"("model_type": "bailing_moe", "hidden_size": 2048, "intermediate_size": 5632,
         "first_k_dense_replace": 0, "moe_intermediate_size": 1408, "num_attention_heads": 16,
         "num_experts": 64, "num_experts_per_tok": 6, "num_hidden_layers": 28,
         "num_key_value_heads": 4, "num_shared_experts": 2, "tie_word_embeddings": false,
         "vocab_size": 126464)",
       16.80},
      {R"("model_type": "bailing_moe_v2", "first_k_dense_replace": 1, "head_dim": 128,
         "hidden_size": 2048, "intermediate_size": 5120, "moe_intermediate_size": 512,
         "moe_router_enable_expert_bias": true, "n_group": 8, "num_attention_heads": 16,
         "num_experts": 256, "num_experts_per_tok": 8, "num_hidden_layers": 20,
         "num_key_value_heads": 4, "num_nextn_predict_layers": 0, "num_shared_experts": 1,
         "score_function": "sigmoid", "tie_word_embeddings": false, "topk_group": 4,
         "use_qk_norm": true, "vocab_size": 157184)",
       16.25},
      {R"("model_type": "glm4_moe_lite", "first_k_dense_replace": 1, "hidden_size": 2048,
         "intermediate_size": 10240, "kv_lora_rank": 512, "moe_intermediate_size": 1536,
         "n_group": 1, "n_routed_experts": 64, "n_shared_experts": 1, "num_attention_heads": 20,
         "num_experts_per_tok": 4, "num_hidden_layers": 47, "num_key_value_heads": 20,
         "q_lora_rank": 768, "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "topk_group": 1,
         "tie_word_embeddings": false, "v_head_dim": 256, "vocab_size": 154880)",
       29.94, 0.005}};
  for (const Published& model : models) {
    CAPTURE(model.config);
    const auto parameters = static_cast<double>(model_parameters(model_of(model.config)));
    CHECK(parameters * 1e-9 == doctest::Approx(model.parameters).epsilon(model.left_out));
  }
}

TEST_CASE("what the code of a family decides is in the model, or reported") {
  CHECK(model_of(kFalcon7b).num_query_groups == 1);
  CHECK(model_of(kFalcon40b).num_query_groups == 8);
  CHECK(model_of(kGptJ).rotary_percent == 0.25);
  CHECK(model_of(kQwen).ffn_hidden_size == 11008);
  CHECK(model_of(kQwen).add_qkv_bias);
  CHECK(model_of(kOpt).hidden_dropout == 0.1);
  CHECK(model_of(kGemma2).activation == Activation::swiglu);
  CHECK(model_of(kGemma2).share_embeddings_and_output_weights);
  CHECK(model_of(kGemma3).qk_layernorm);
  CHECK(windows_of(model_of(kGemma2)) == 21);
  CHECK(windows_of(model_of(kGemma3)) == 29);
  CHECK(windows_of(model_of(kExaone4)) == 48);
  CHECK(reports(imported(kGptJ), "attention and FFN side by side"));
  CHECK(reports(imported(kGptJ), "of the FFN, by model_type gptj"));
  CHECK(!reports(imported(kGemma2), "attention and FFN side by side"));
  CHECK(reports(imported(kGemma2), "norms behind attention and FFN"));
  CHECK(reports(imported(kOpt), "ReLU, as GELU"));
  CHECK(model_of(kApertus).activation == Activation::squared_relu);
  CHECK(model_of(kApertus).qk_layernorm);
  CHECK(reports(imported(kApertus), "xIELU, as squared ReLU"));
  CHECK(reports(imported(kOpt), "learned embeddings of positions"));
}

TEST_CASE("families whose layers cannot be stated are refused by name") {
  const auto refused = [](const std::string& type) {
    return error_of([&] {
      imported("\"model_type\": \"" + type + "\", \"num_hidden_layers\": 8, \"kv_lora_rank\": 512");
    });
  };
  CHECK(refused("kimi_linear") ==
        "config.json:1:16: model_type: 'kimi_linear' has linear attention (Kimi delta attention), "
        "which is not modelled");
  CHECK(refused("t5").ends_with("'t5' has an encoder, which is not modelled"));
  CHECK(refused("falcon_h1").ends_with("side by side in a layer, which is not modelled"));
  CHECK(error_of([] {
          imported(
              "\"model_type\": \"exaone4\", \"num_hidden_layers\": 8, "
              "\"sliding_window\": 8, \"sliding_window_pattern\": \"GL\"");
        }).find("sliding_window_pattern: ") != std::string::npos);
}

}  // namespace
}  // namespace simtrain::testing::config_families_test
