// Hugging Face's config.json of models whose layers are not all of grouped attention and an MLP.
#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/layers/layer_list.h"
#include "sim/workload/model/layers/model_parts.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::config_layers_test {
namespace {

using Overrides = std::vector<std::string>;

ImportedRecipe imported_config(const ImportFile& file, const Overrides& overrides = {}) {
  REQUIRE(!file.text.empty());
  RecipeRequest request;
  request.name = "own";
  request.overrides = overrides;
  return import_recipe(file, request);
}

ModelSpec config_model(const std::string& name, const Overrides& overrides = {}) {
  const ImportedRecipe imported = imported_config(recipe_file(name), overrides);
  return read_yaml<ModelSpec>(load_yaml_text(imported.yaml, "model.yaml"), "");
}

std::string config_error(const std::string& name, const Overrides& overrides) {
  return error_of([&] { config_model(name, overrides); });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The blocks of each layer, as `mla mlp, mla moe, ...`.
std::string blocks_text(const ModelSpec& model) {
  std::string text;
  for (const LayerSpec& layer : layer_specs(model)) {
    for (int i = 0; i < layer.repeat; ++i) {
      text += text.empty() ? "" : ",";
      for (const BlockKind block : layer.blocks) text += " " + std::string(name_of(block));
    }
  }
  return text;
}

void check_is_shipped(const ModelSpec& model, const std::string& name) {
  CAPTURE(name);
  const auto known =
      DataFolder(source_dir()).load<ModelSpec>("scenarios/models", name, {}, "model");
  CHECK(model_parameters(model) == model_parameters(known));
  CHECK(model_flops(model, 4096).products == model_flops(known, 4096).products);
  CHECK(model_flops(model, 4096).attention_square == model_flops(known, 4096).attention_square);
  CHECK(blocks_text(model) == blocks_text(known));
  CHECK(model.rotary_percent == known.rotary_percent);
  CHECK(model.kv_channels == known.kv_channels);
  CHECK(model.qk_layernorm == known.qk_layernorm);
  CHECK(model.add_bias_linear == known.add_bias_linear);
  CHECK(model.add_qkv_bias == known.add_qkv_bias);
  CHECK(model.softmax_type == known.softmax_type);
  CHECK(model.activation_func_clamp_value == known.activation_func_clamp_value);
  CHECK(model.window_size == known.window_size);
  CHECK(model.mtp_num_layers == known.mtp_num_layers);
}

/// The imported model in place of that of a recipe on 32 GPUs.
Scenario scenario_with(const ImportedRecipe& model) {
  std::string own = "model:\n";
  for (std::size_t at = 0; at < model.yaml.size();) {
    const std::size_t end = model.yaml.find('\n', at);
    own += "  " + model.yaml.substr(at, end - at) + "\n";
    at = end + 1;
  }
  ImportFile scenario = recipe_file("qwen3_30b_megatron.sh");
  scenario.text = import_recipe(scenario, job("dgx-superpod-h100", "megatron-core-2025")).yaml;
  return scenario_in(with(scenario, "model: qwen3-30b-a3b # by its shape\n", own).text);
}

}  // namespace

TEST_CASE("configurations of multi-latent attention are the shipped models") {
  const std::string v3 = "deepseek_v3_config.json";
  check_is_shipped(config_model(v3), "deepseek-v3");
  check_is_shipped(config_model(v3, {"model_type=kimi_k2", "num_attention_heads=64",
                                     "n_routed_experts=384", "first_k_dense_replace=1",
                                     "num_nextn_predict_layers=0", "vocab_size=163840"}),
                   "kimi-k2");
  check_is_shipped(
      config_model(v3, {"model_type=deepseek_v2", "q_lora_rank=null", "hidden_size=2048",
                        "num_attention_heads=16", "num_hidden_layers=27", "n_routed_experts=64",
                        "num_experts_per_tok=6", "moe_intermediate_size=1408", "n_shared_experts=2",
                        "intermediate_size=10944", "first_k_dense_replace=1",
                        "~num_nextn_predict_layers", "vocab_size=102400"}),
      "deepseek-v2-lite");
  const ModelSpec every_second = config_model(v3, {"moe_layer_freq=2"});
  CHECK(blocks_text(every_second).starts_with(" mla mlp, mla mlp, mla mlp, mla mlp, mla moe,"));
}

TEST_CASE("sparse attention is that of each layer that has an indexer, or takes another's keys") {
  const std::string v3 = "deepseek_v3_config.json";
  Overrides sparse{"model_type=deepseek_v32", "+index_n_heads=64", "+index_head_dim=128",
                   "+index_topk=2048"};
  check_is_shipped(config_model(v3, sparse), "deepseek-v3.2");
  sparse.front() = "model_type=glm_moe_dsa";
  sparse.insert(sparse.end(), {"num_hidden_layers=6", "first_k_dense_replace=1",
                               "+indexer_types=[full,full,shared,shared,full,shared]"});
  const ModelSpec shared = config_model(v3, sparse);
  CHECK(blocks_text(shared) ==
        " dsa mlp, dsa moe, dsa_shared moe, dsa_shared moe, dsa moe, dsa_shared moe");
  const auto refused = [&](const std::string& types) {
    sparse.back() = "+indexer_types=" + types;
    return config_error(v3, sparse);
  };
  CHECK(has(refused("[full,full]"), "is of 2 layers, the model has 6"));
  CHECK(has(refused("full"), "indexer_types: must be a list of a word for each layer"));
  CHECK(has(refused("[full,full,own,full,full,full]"),
            "indexer_types: 'own' is not modelled; full or shared would do"));
}

TEST_CASE("sizes that multi-latent attention needs are not guessed") {
  const std::string v3 = "deepseek_v3_config.json";
  CHECK(has(config_error(v3, {"~q_lora_rank"}),
            "q_lora_rank: is not given by this configuration; model_type deepseek_v3 has"));
  CHECK(has(config_error(v3, {"~v_head_dim"}), "v_head_dim: is not given"));
  CHECK(has(config_error(v3, {"first_k_dense_replace=61"}),
            "first_k_dense_replace: is 61, which leaves no layer of 61 with experts"));
  CHECK(has(config_error(v3, {"num_hidden_layers=99999"}), "up to 10000 are listed"));
  CHECK(has(config_error(v3, {"n_shared_experts=99999999"}), "is too many experts"));
  const ImportedRecipe biased = imported_config(recipe_file(v3), {"attention_bias=true"});
  REQUIRE(biased.notes.size() == 1);
  CHECK(has(biased.notes.front(), "biases of the linear modules (attention_bias)"));
}

TEST_CASE("GPT-OSS has windows in every second layer, sinks and biases") {
  const std::string file = "gpt_oss_120b_config.json";
  check_is_shipped(config_model(file), "gpt-oss-120b");
  check_is_shipped(config_model(file, {"num_hidden_layers=24", "num_local_experts=32"}),
                   "gpt-oss-20b");
  const ModelSpec listed = config_model(
      file,
      {"num_hidden_layers=3", "+layer_types=[full_attention, full_attention, sliding_attention]"});
  CHECK(blocks_text(listed) == " gqa moe, gqa moe, swa moe");
  CHECK(has(config_error(file, {"+layer_types=[full_attention]"}),
            "is of 1 layers, the model has 36"));
  CHECK(has(config_error(file, {"+layer_types=[chunked_attention]"}),
            "layer_types: 'chunked_attention' is not modelled"));
}

TEST_CASE("GLM 4.5 has norms of queries and keys, and biases of QKV alone") {
  check_is_shipped(config_model("glm_4_5_config.json"), "glm-4.5");
}

TEST_CASE("a hybrid's pattern is taken, with the sizes of its Mamba blocks") {
  const std::string file = "nemotron_h_56b_config.json";
  check_is_shipped(config_model(file), "nemotron-h-56b");
  check_is_shipped(
      config_model(file,
                   {"hybrid_override_pattern="
                    "\"MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME\"",
                    "num_hidden_layers=52", "hidden_size=2688", "intermediate_size=1856",
                    "num_attention_heads=32", "num_key_value_heads=2", "mamba_num_heads=64",
                    "ssm_state_size=128", "+n_routed_experts=128", "+num_experts_per_tok=6",
                    "+moe_intermediate_size=1856", "+moe_shared_expert_intermediate_size=3712"}),
      "nemotron3-nano-30b-a3b");
  CHECK(has(config_error(file, {"num_hidden_layers=100"}),
            "num_hidden_layers: is 100, but hybrid_override_pattern has 118 layers"));
  CHECK(has(config_error(file, {"hybrid_override_pattern=MX"}),
            "hybrid_override_pattern: has 'X', which is no letter of a layer"));
  CHECK(has(config_error(file, {"hybrid_override_pattern=ME", "num_hidden_layers=2"}),
            "has layers of experts, but the recipe does not give how many there are"));
}

TEST_CASE("windows are of the model types that use them") {
  const std::string file = "llama2_13b_config.json";
  const auto blocks = [&](const Overrides& overrides) {
    Overrides all{"num_hidden_layers=3", "+sliding_window=128"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return blocks_text(config_model(file, all));
  };
  CHECK(blocks({}) == " gqa mlp, gqa mlp, gqa mlp");
  CHECK(blocks({"model_type=mistral"}) == " swa mlp, swa mlp, swa mlp");
  CHECK(blocks({"model_type=qwen2"}) == " gqa mlp, gqa mlp, gqa mlp");
  CHECK(blocks({"model_type=qwen2", "+use_sliding_window=true"}) == " swa mlp, swa mlp, swa mlp");
  CHECK(blocks({"model_type=qwen2", "+use_sliding_window=true", "+max_window_layers=2"}) ==
        " gqa mlp, gqa mlp, swa mlp");
  CHECK(config_model(file, {"model_type=mistral", "+sliding_window=128"}).window_size == 128);
  CHECK(has(config_error(file, {"model_type=mistral", "+sliding_window=far"}),
            "sliding_window: 'far' is no window"));
}

TEST_CASE("norms, biases and tied embeddings of a configuration are stated") {
  const std::string file = "llama2_13b_config.json";
  CHECK(config_model(file, {"model_type=qwen2"}).add_qkv_bias);
  CHECK(config_model(file, {"model_type=qwen3"}).qk_layernorm);
  CHECK(config_model(file, {"model_type=olmo2"}).qk_layernorm);
  CHECK(config_model(file, {"+attention_bias=true", "+mlp_bias=true"}).add_bias_linear);
  const ModelSpec queries = config_model(file, {"+attention_bias=true"});
  CHECK(queries.add_qkv_bias);
  CHECK(!queries.add_bias_linear);
  CHECK(config_model(file, {"tie_word_embeddings=true"}).share_embeddings_and_output_weights);
}

TEST_CASE("imported models of latents and of windows run") {
  for (const std::string file : {"deepseek_v3_config.json", "gpt_oss_120b_config.json"}) {
    const Scenario scenario = scenario_with(imported_config(recipe_file(file)));
    CHECK(scenario.recipe.model.name == "own");
    CHECK(simulate(scenario).step_time_s > 0);
  }
}

}  // namespace simtrain::testing::config_layers_test
