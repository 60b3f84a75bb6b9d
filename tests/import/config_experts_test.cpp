// Mixtures of experts of Hugging Face's config.json.
#include <doctest/doctest.h>

#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/layers/model_parts.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::config_experts_test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ModelSpec hugging_face(const ImportFile& file, const std::vector<std::string>& overrides = {}) {
  REQUIRE(!file.text.empty());
  RecipeRequest request;
  request.name = "own";
  request.overrides = overrides;
  return read_yaml<ModelSpec>(load_yaml_text(import_recipe(file, request).yaml, "model.yaml"), "");
}

std::string hugging_face_error(const ImportFile& file, const std::vector<std::string>& overrides) {
  return error_of([&] { hugging_face(file, overrides); });
}

/// A shipped model.
ModelSpec shipped(const std::string& name) {
  return DataFolder(source_dir()).load<ModelSpec>("scenarios/models", name, {}, "model");
}

void check_shipped(const ModelSpec& model, const std::string& name) {
  CAPTURE(name);
  const ModelSpec known = shipped(name);
  REQUIRE(model.experts);
  CHECK(model.experts->num_moe_experts == known.experts->num_moe_experts);
  CHECK(model.experts->moe_router_topk == known.experts->moe_router_topk);
  CHECK(model.experts->moe_ffn_hidden_size == known.experts->moe_ffn_hidden_size);
  CHECK(model.experts->moe_shared_expert_intermediate_size ==
        known.experts->moe_shared_expert_intermediate_size);
  CHECK(model.num_layers == known.num_layers);
  CHECK(model.ffn_hidden_size == known.ffn_hidden_size);
  CHECK(model.kv_channels == known.kv_channels);
  CHECK(model_parameters(model) == model_parameters(known));
}

}  // namespace

TEST_CASE("a Hugging Face configuration of a mixture is the shipped model") {
  check_shipped(hugging_face(recipe_file("qwen3_30b_config.json")), "qwen3-30b-a3b");
  check_shipped(hugging_face(recipe_file("llama4_maverick_config.json")), "llama4-maverick");
  check_shipped(
      hugging_face(recipe_file("llama4_maverick_config.json"),
                   {"text_config.interleave_moe_layer_step=1", "text_config.num_local_experts=16"}),
      "llama4-scout");
  const std::string head =
      "\"tie_word_embeddings\": false, \"num_experts_per_tok\": 2, \"num_key_value_heads\": 8, ";
  check_shipped(
      hugging_face({"c.json", "{\"model_type\": \"mixtral\", " + head +
                                  "\"hidden_act\": \"silu\", \"hidden_size\": 4096, "
                                  "\"intermediate_size\": 14336, "
                                  "\"num_attention_heads\": 32, \"num_hidden_layers\": 32, "
                                  "\"num_local_experts\": 8, \"vocab_size\": 32000}"}),
      "mixtral-8x7b");
  check_shipped(
      hugging_face({"c.json", "{\"model_type\": \"grok-1\", " + head +
                                  "\"hidden_size\": 6144, \"intermediate_size\": 32768, "
                                  "\"num_attention_heads\": 48, \"num_hidden_layers\": 64, "
                                  "\"num_experts\": 8, \"vocab_size\": 131072}"}),
      "grok1-314b");
  check_shipped(
      hugging_face({"c.json",
                    "{\"model_type\": \"dbrx\", \"tie_word_embeddings\": false, \"d_model\": 6144, "
                    "\"n_heads\": 48, \"n_layers\": 40, \"attn_config\": {\"kv_n_heads\": 8}, "
                    "\"ffn_config\": {\"ffn_hidden_size\": 10752, \"moe_num_experts\": 16, "
                    "\"moe_top_k\": 4}, \"vocab_size\": 100352}"}),
      "dbrx");
}

TEST_CASE("Qwen3-Next's layers are gated delta nets but for each fourth one") {
  const ImportFile file = recipe_file("qwen3_next_config.json");
  ModelSpec known = shipped("qwen3-next-80b-a3b");
  known.mtp_num_layers = 0;  // the configuration does not say it
  const ModelSpec model = hugging_face(file);
  CHECK(model_parameters(model) == model_parameters(known));
  CHECK(model.attention_output_gate);
  CHECK(model.experts->moe_shared_expert_gate);
  REQUIRE(model.layers);
  REQUIRE(model.layers->size() == known.layers->size());
  for (std::size_t i = 0; i < known.layers->size(); ++i) {
    CHECK((*model.layers)[i].blocks == (*known.layers)[i].blocks);
    CHECK((*model.layers)[i].repeat == (*known.layers)[i].repeat);
  }
  const ModelSpec usual = hugging_face(file, {"~full_attention_interval"});  // transformers' own
  CHECK(model_parameters(usual) == model_parameters(known));
  const ModelSpec listed = hugging_face(
      file, {"num_hidden_layers=2", "+layer_types=[linear_attention, full_attention]"});
  CHECK(listed.layers->front().blocks.front() == BlockKind::gated_delta_net);
  CHECK(listed.layers->back().blocks.front() == BlockKind::gqa);
  CHECK(has(hugging_face_error(file, {"num_hidden_layers=2",
                                      "+layer_types=[linear_attention, sliding_attention]"}),
            "'sliding_attention' is not modelled; linear_attention or full_attention would do"));
}

TEST_CASE("Qwen 3.5's text model has Qwen3-Next's layers, with experts or without") {
  ImportFile file = recipe_file("qwen3_next_config.json");
  const ModelSpec next = hugging_face(file);
  file = with(file, "\"qwen3_next\"", "\"qwen3_5_moe_text\", \"attn_output_gate\": true");
  CHECK(model_parameters(hugging_face(file)) == model_parameters(next));
  CHECK(hugging_face(file).experts->moe_shared_expert_gate);
  CHECK(!hugging_face(file, {"attn_output_gate=false"}).attention_output_gate);
  const ModelSpec dense =
      hugging_face(with(file, "qwen3_5_moe_text", "qwen3_5_text"),
                   {"~num_experts", "~num_experts_per_tok", "~moe_intermediate_size",
                    "~shared_expert_intermediate_size", "~decoder_sparse_step", "~mlp_only_layers",
                    "~norm_topk_prob", "~router_aux_loss_coef", "~output_router_logits"});
  CHECK(!dense.has_experts());
  CHECK(dense.layers->front().blocks.front() == BlockKind::gated_delta_net);
  CHECK(dense.ffn_hidden_size == 5120);
}

TEST_CASE("what makes probabilities of a router's scores is DeepSeek's scoring_func") {
  const ImportFile file = recipe_file("deepseek_v3_config.json");
  CHECK(hugging_face(file, {"scoring_func=sigmoid"}).experts->moe_router_score_function ==
        RouterScore::sigmoid);
  CHECK(hugging_face(file, {"scoring_func=softmax"}).experts->moe_router_score_function ==
        RouterScore::softmax);
  CHECK(has(hugging_face_error(file, {"scoring_func=tanh"}),
            "'tanh' is not modelled; one of softmax, sigmoid, sqrtsoftplus would do"));
}

TEST_CASE("layers of Qwen's mixtures without experts are listed") {
  const ImportFile file = recipe_file("qwen3_30b_config.json");
  const ModelSpec stepped =
      hugging_face(file, {"decoder_sparse_step=2", "mlp_only_layers=[1, 47]"});
  const std::vector<LayerSpec>& layers = *stepped.layers;
  CHECK(layers.front().blocks.back() == BlockKind::mlp);
  CHECK(layers.front().repeat == 3);
  CHECK(layers.back().blocks.back() == BlockKind::mlp);
  CHECK(layers.back().repeat == 2);
  const ModelSpec shared =
      hugging_face(file, {"model_type=qwen2_moe", "+shared_expert_intermediate_size=20480"});
  CHECK(shared.experts->moe_shared_expert_intermediate_size == 20480);
  CHECK(has(hugging_face_error(file, {"mlp_only_layers=[48]"}), "mlp_only_layers"));
  CHECK(has(hugging_face_error(file, {"decoder_sparse_step=0"}), "is no number of layers"));
  CHECK(has(hugging_face_error(file, {"num_hidden_layers=99999", "decoder_sparse_step=2"}),
            "is more than the 10000 layers"));
}

TEST_CASE("a Hugging Face configuration and its code must agree on experts") {
  const ImportFile file = recipe_file("qwen3_30b_config.json");
  CHECK(has(hugging_face_error(file, {"model_type=qwen3"}),
            "num_experts: is set to 128; model_type qwen3 has no experts"));
  CHECK(has(hugging_face_error(file, {"~num_experts"}),
            "experts: is not given by this configuration; model_type qwen3_moe has experts"));
  CHECK(has(hugging_face_error(file, {"~num_experts_per_tok"}),
            "num_experts_per_tok: is not given by this configuration"));
  CHECK(has(hugging_face_error(file, {"+kv_lora_rank=512"}), "multi-latent attention is of"));
}

}  // namespace simtrain::testing::config_experts_test
