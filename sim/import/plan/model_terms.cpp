#include <algorithm>
#include <array>

#include "sim/import/model/layer_pattern.h"
#include "sim/import/model/layer_shape.h"
#include "sim/import/plan/scenario_terms.h"

namespace simtrain {
namespace {

void give_stem(const ModelSpec& model, RecipeTerms& terms) {
  give(terms.num_layers, model.num_layers, "model.num_layers");
  give(terms.hidden_size, model.hidden_size, "model.hidden_size");
  give(terms.ffn_hidden_size, model.ffn_hidden_size, "model.ffn_hidden_size");
  give(terms.padded_vocab_size, model.vocab_size, "model.vocab_size");
  give(terms.share_embeddings_and_output_weights, model.share_embeddings_and_output_weights,
       "model.share_embeddings_and_output_weights");
  give(terms.untie_embeddings_and_output_weights, !model.share_embeddings_and_output_weights,
       "model.share_embeddings_and_output_weights");
  const std::string key = "model.activation";
  const bool gated = model.activation == Activation::swiglu;
  const bool squared = model.activation == Activation::squared_relu;
  const std::optional<double>& clamp = model.activation_func_clamp_value;  // of quick GELU alone
  const std::string of_unit = clamp ? "quick_gelu" : "silu";
  give(terms.activation, gated ? of_unit : squared ? "squared_relu" : "gelu", key);
  give(terms.gated_linear_unit, gated, key);
  give(terms.squared_relu, squared, key);
  if (clamp) give(terms.activation_func_clamp_value, *clamp, "model.activation_func_clamp_value");
  const bool rms = model.normalization == Normalization::rmsnorm;
  give(terms.normalization, rms ? "RMSNorm" : "LayerNorm", "model.normalization");
  give(terms.layernorm_1p, !rms, "model.normalization");
  const bool rotary = model.rotary_percent > 0;
  give(terms.position_embedding_type, rotary ? "rope" : "none", "model.rotary_percent");
  if (rotary) give(terms.rotary_percent, model.rotary_percent, "model.rotary_percent");
  give(terms.hidden_dropout, model.hidden_dropout, "model.hidden_dropout");
  give(terms.add_bias_linear, model.add_bias_linear, "model.add_bias_linear");
  give(terms.add_qkv_bias, model.add_qkv_bias, "model.add_qkv_bias");
  if (model.mtp_num_layers > 0)
    give(terms.mtp_num_layers, model.mtp_num_layers, "model.mtp_num_layers");
}

/// Which layers have a block.
std::vector<bool> layers_with(const ModelSpec& model, BlockKind kind) {
  std::vector<bool> flags;
  flags.reserve(static_cast<std::size_t>(model.num_layers));
  for (const LayerSpec& layer : *model.layers)
    flags.insert(flags.end(), static_cast<std::size_t>(layer.repeat),
                 std::find(layer.blocks.begin(), layer.blocks.end(), kind) != layer.blocks.end());
  return flags;
}

/// Where only some layers have a block.
void give_flags(TreeTerm& term, const ModelSpec& model, BlockKind kind) {
  const std::vector<bool> flags = layers_with(model, kind);
  if (std::find(flags.begin(), flags.end(), false) != flags.end())
    give(term, pattern_node(flags), "model.layers");
}

void give_delta(const ModelSpec& model, const GatedDeltaNetSpec& net, RecipeTerms& terms) {
  const std::string key = "model.gated_delta_net";
  give(terms.experimental_attention_variant, std::string(name_of(BlockKind::gated_delta_net)), key);
  give(terms.linear_num_key_heads, net.linear_num_key_heads, key);
  give(terms.linear_num_value_heads, net.linear_num_value_heads, key);
  give(terms.linear_key_head_dim, net.linear_key_head_dim, key);
  give(terms.linear_value_head_dim, net.linear_value_head_dim, key);
  give(terms.linear_conv_kernel_dim, net.linear_conv_kernel_dim, key);
  if (model.layers)
    give(terms.linear_attention_freq, pattern_node(layers_with(model, BlockKind::gated_delta_net)),
         "model.layers");
}

void give_indexer(const DsaIndexerSpec& indexer, RecipeTerms& terms) {
  const std::string key = "model.dsa_indexer";
  give(terms.experimental_attention_variant, std::string(name_of(BlockKind::dsa)), key);
  give(terms.dsa_indexer_n_heads, indexer.dsa_indexer_n_heads, key);
  give(terms.dsa_indexer_head_dim, indexer.dsa_indexer_head_dim, key);
  give(terms.dsa_indexer_topk, indexer.dsa_indexer_topk, key);
}

void give_attention(const ModelSpec& model, RecipeTerms& terms) {
  give(terms.num_attention_heads, model.num_attention_heads, "model.num_attention_heads");
  if (model.softmax_type != SoftmaxType::vanilla)
    give(terms.softmax_type, std::string(name_of(model.softmax_type)), "model.softmax_type");
  if (model.multi_latent_attention) {
    const LatentAttentionSpec& latent = *model.multi_latent_attention;
    const std::string key = "model.multi_latent_attention";
    give(terms.multi_latent_attention, true, key);
    give(terms.q_lora_rank, latent.q_lora_rank.value_or(0), key);
    give(terms.kv_lora_rank, latent.kv_lora_rank, key);
    give(terms.qk_head_dim, latent.qk_head_dim, key);
    give(terms.qk_pos_emb_head_dim, latent.qk_pos_emb_head_dim, key);
    give(terms.v_head_dim, latent.v_head_dim, key);
    if (model.dsa_indexer) give_indexer(*model.dsa_indexer, terms);
    return;
  }
  give(terms.group_query_attention, model.num_query_groups != model.num_attention_heads,
       "model.num_query_groups");
  give(terms.num_query_groups, model.num_query_groups, "model.num_query_groups");
  give(terms.kv_channels, model.kv_channels, "model.kv_channels");
  give(terms.qk_layernorm, model.qk_layernorm, "model.qk_layernorm");
  if (model.attention_output_gate)
    give(terms.attention_output_gate, true, "model.attention_output_gate");
  if (model.gated_delta_net) give_delta(model, *model.gated_delta_net, terms);
  if (!model.window_size || !model.layers) return;
  give(terms.window_size, std::to_string(*model.window_size - 1) + ",0", "model.window_size");
  give_flags(terms.window_attn_skip_freq, model, BlockKind::swa);
}

void give_experts(const ModelSpec& model, RecipeTerms& terms) {
  if (!model.experts) return;
  const ExpertsSpec& experts = *model.experts;
  const std::string key = "model.experts";
  give(terms.num_moe_experts, experts.num_moe_experts, key);
  give(terms.moe_router_topk, experts.moe_router_topk, key);
  give(terms.moe_ffn_hidden_size, experts.moe_ffn_hidden_size, key);
  if (experts.moe_shared_expert_intermediate_size > 0)
    give(terms.moe_shared_expert_intermediate_size, experts.moe_shared_expert_intermediate_size,
         key);
  if (experts.moe_shared_expert_gate) give(terms.moe_shared_expert_gate, true, key);
  if (experts.moe_latent_size) give(terms.moe_latent_size, *experts.moe_latent_size, key);
  if (experts.moe_router_num_groups > 1) {
    give(terms.moe_router_num_groups, experts.moe_router_num_groups, key);
    give(terms.moe_router_group_topk, experts.moe_router_group_topk, key);
  }
  give(terms.moe_router_score_function, std::string(name_of(experts.moe_router_score_function)),
       key);
  if (experts.moe_router_pre_softmax) give(terms.moe_router_pre_softmax, true, key);
  if (model.layers && !has_other_layers(model))
    give_flags(terms.moe_layer_freq, model, BlockKind::moe);
}

void give_mamba(const ModelSpec& model, RecipeTerms& terms) {
  if (model.hybrid_override_pattern)
    give(terms.hybrid_override_pattern, *model.hybrid_override_pattern,
         "model.hybrid_override_pattern");
  if (!model.mamba) return;
  const std::string key = "model.mamba";
  give(terms.mamba_num_heads, model.mamba->mamba_num_heads, key);
  give(terms.mamba_head_dim, model.mamba->mamba_head_dim, key);
  give(terms.mamba_state_dim, model.mamba->mamba_state_dim, key);
  give(terms.mamba_num_groups, model.mamba->mamba_num_groups, key);
}

}  // namespace

void add_model_terms(const ModelSpec& model, RecipeTerms& terms) {
  give_stem(model, terms);
  give_attention(model, terms);
  give_experts(model, terms);
  give_mamba(model, terms);
}

}  // namespace simtrain
