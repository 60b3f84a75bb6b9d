#include "sim/import/terms/core_rows.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"

namespace simtrain {
namespace {

constexpr std::array kLayerKeys{
    KeyRow{"multi_latent_attention", &RecipeTerms::multi_latent_attention},
    KeyRow{"q_lora_rank", &RecipeTerms::q_lora_rank},
    KeyRow{"kv_lora_rank", &RecipeTerms::kv_lora_rank},
    KeyRow{"qk_head_dim", &RecipeTerms::qk_head_dim},
    KeyRow{"qk_pos_emb_head_dim", &RecipeTerms::qk_pos_emb_head_dim},
    KeyRow{"v_head_dim", &RecipeTerms::v_head_dim},
    KeyRow{"qk_layernorm", &RecipeTerms::qk_layernorm},
    KeyRow{"add_bias_linear", &RecipeTerms::add_bias_linear},
    KeyRow{"add_qkv_bias", &RecipeTerms::add_qkv_bias},
    KeyRow{"softmax_type", &RecipeTerms::softmax_type},
    KeyRow{"activation_func_clamp_value", &RecipeTerms::activation_func_clamp_value},
    KeyRow{"window_size", &RecipeTerms::window_size},
    KeyRow{"window_attn_skip_freq", &RecipeTerms::window_attn_skip_freq},
    KeyRow{"mtp_num_layers", &RecipeTerms::mtp_num_layers},
    KeyRow{"is_hybrid_model", &RecipeTerms::is_hybrid_model},
    KeyRow{"hybrid_override_pattern", &RecipeTerms::hybrid_override_pattern},
    KeyRow{"hybrid_layer_pattern", &RecipeTerms::hybrid_override_pattern},
    KeyRow{"mamba_num_heads", &RecipeTerms::mamba_num_heads},
    KeyRow{"mamba_head_dim", &RecipeTerms::mamba_head_dim},
    KeyRow{"mamba_state_dim", &RecipeTerms::mamba_state_dim},
    KeyRow{"mamba_num_groups", &RecipeTerms::mamba_num_groups},
    KeyRow{"hybrid_attention_ratio", &RecipeTerms::hybrid_attention_ratio},
    KeyRow{"hybrid_mlp_ratio", &RecipeTerms::hybrid_mlp_ratio},
    KeyRow{"experimental_attention_variant", &RecipeTerms::experimental_attention_variant},
    KeyRow{"linear_attention_type", &RecipeTerms::experimental_attention_variant},
    KeyRow{"linear_attention_freq", &RecipeTerms::linear_attention_freq},
    KeyRow{"linear_num_key_heads", &RecipeTerms::linear_num_key_heads},
    KeyRow{"linear_num_value_heads", &RecipeTerms::linear_num_value_heads},
    KeyRow{"linear_key_head_dim", &RecipeTerms::linear_key_head_dim},
    KeyRow{"linear_value_head_dim", &RecipeTerms::linear_value_head_dim},
    KeyRow{"linear_conv_kernel_dim", &RecipeTerms::linear_conv_kernel_dim},
    KeyRow{"attention_output_gate", &RecipeTerms::attention_output_gate},
    KeyRow{"dsa_indexer_n_heads", &RecipeTerms::dsa_indexer_n_heads},
    KeyRow{"dsa_indexer_head_dim", &RecipeTerms::dsa_indexer_head_dim},
    KeyRow{"dsa_indexer_topk", &RecipeTerms::dsa_indexer_topk},
    KeyRow{"account_for_embedding_in_pipeline_split",
           &RecipeTerms::account_for_embedding_in_pipeline_split},
    KeyRow{"account_for_loss_in_pipeline_split", &RecipeTerms::account_for_loss_in_pipeline_split},
    KeyRow{"pipeline_model_parallel_layout", &RecipeTerms::pipeline_model_parallel_layout},
    KeyRow{"num_layers_in_first_pipeline_stage", &RecipeTerms::num_layers_in_first_pipeline_stage},
    KeyRow{"num_layers_in_last_pipeline_stage", &RecipeTerms::num_layers_in_last_pipeline_stage},
    KeyRow{"deterministic_mode", kDeterministic},
    KeyRow{"fp32_residual_connection", NotSimulated{"residuals in FP32"}},
    KeyRow{"dsa_indexer_loss_coeff", kLearned},
    KeyRow{"dsa_indexer_use_sparse_loss", kLearned},
    KeyRow{"qk_l2_norm", kQkNorm},
    KeyRow{"mtp_loss_scaling_factor", kLearned},
    KeyRow{"rope_type", kRange},
    KeyRow{"rotary_scaling_factor", kRange},
    KeyRow{"original_max_position_embeddings", kRange},
    KeyRow{"beta_fast", kRange},
    KeyRow{"beta_slow", kRange},
    KeyRow{"mscale", kRange},
    KeyRow{"mscale_all_dim", kRange},
};

/// Megatron's letter of a layer in a layout: E, t, m or L.
std::string layer_letter(const YamlNode& layer, const std::string& key) {
  if (layer.text == "embedding") return "E";
  if (layer.text == "decoder") return "t";
  if (layer.text == "mtp") return "m";
  if (layer.text == "loss") return "L";
  throw InputError(layer.place, key,
                   fmt::format("is {}; embedding, decoder, mtp or loss would do", found(layer)));
}

}  // namespace

std::span<const KeyRow> core_layer_rows() { return kLayerKeys; }

CoreRows::CoreRows(std::string_view prefix) {
  keys_.reserve(core_expert_rows().size() + core_layer_rows().size());
  rows_.reserve(keys_.capacity());
  const auto add = [&](const KeyRow& row) {
    keys_.push_back(std::string(prefix) + std::string(row.key));
    rows_.push_back({keys_.back(), row.meaning});
  };
  for (const KeyRow& row : core_expert_rows()) add(row);
  for (const KeyRow& row : core_layer_rows()) add(row);
}

void take_layout(YamlNode& tree, const std::string& key) {
  const YamlNode* given = find_yaml_value(tree, key);
  if (given == nullptr || given->kind != YamlNode::Kind::list) return;
  std::string text;
  for (const YamlNode& stage : given->items) {
    if (!text.empty()) text += '|';
    if (stage.kind == YamlNode::Kind::scalar) text += layer_letter(stage, key);
    for (const YamlNode& layer : stage.items) text += layer_letter(layer, key);
  }
  YamlNode whole;
  whole.kind = YamlNode::Kind::scalar;
  whole.place = given->place;
  whole.text = std::move(text);
  set_yaml_value(tree, key, std::move(whole));
}

void take_none(const YamlNode& tree, const std::string& key, WholeTerm& term) {
  const YamlNode* count = find_yaml_value(tree, key);
  if (term || count == nullptr || count->kind != YamlNode::Kind::null) return;
  term = Given<std::int64_t>{0, key, false, count->place};
}

}  // namespace simtrain
