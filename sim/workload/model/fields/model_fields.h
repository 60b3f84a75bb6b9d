#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/workload/model/model_spec.h"

namespace simtrain {

template <>
struct Fields<LayerSpec> {
  template <class Visitor>
  static void visit(Visitor& v, LayerSpec& spec) {
    v("blocks", spec.blocks);
    v.optional("repeat", spec.repeat, Limits{1, 100000});
  }
};

template <>
struct Fields<LatentAttentionSpec> {
  template <class Visitor>
  static void visit(Visitor& v, LatentAttentionSpec& spec) {
    v.optional("q_lora_rank", spec.q_lora_rank, Limits{1, 1e6});
    v("kv_lora_rank", spec.kv_lora_rank, Limits{1, 1e6});
    v("qk_head_dim", spec.qk_head_dim, Limits{1, 100000});
    v("qk_pos_emb_head_dim", spec.qk_pos_emb_head_dim, Limits{1, 100000});
    v("v_head_dim", spec.v_head_dim, Limits{1, 100000});
  }
};

template <>
struct Fields<DsaIndexerSpec> {
  template <class Visitor>
  static void visit(Visitor& v, DsaIndexerSpec& spec) {
    v("dsa_indexer_n_heads", spec.dsa_indexer_n_heads, Limits{1, 100000});
    v("dsa_indexer_head_dim", spec.dsa_indexer_head_dim, Limits{1, 100000});
    v("dsa_indexer_topk", spec.dsa_indexer_topk, Limits{1, 1e9});
  }
};

template <>
struct Fields<MambaSpec> {
  template <class Visitor>
  static void visit(Visitor& v, MambaSpec& spec) {
    v("mamba_num_heads", spec.mamba_num_heads, Limits{1, 100000});
    v("mamba_head_dim", spec.mamba_head_dim, Limits{1, 100000});
    v("mamba_state_dim", spec.mamba_state_dim, Limits{1, 100000});
    v("mamba_num_groups", spec.mamba_num_groups, Limits{1, 100000});
  }
};

template <>
struct Fields<GatedDeltaNetSpec> {
  template <class Visitor>
  static void visit(Visitor& v, GatedDeltaNetSpec& spec) {
    v("linear_num_key_heads", spec.linear_num_key_heads, Limits{1, 100000});
    v("linear_num_value_heads", spec.linear_num_value_heads, Limits{1, 100000});
    v("linear_key_head_dim", spec.linear_key_head_dim, Limits{1, 100000});
    v("linear_value_head_dim", spec.linear_value_head_dim, Limits{1, 100000});
    v.optional("linear_conv_kernel_dim", spec.linear_conv_kernel_dim, Limits{1, 1000});
  }
};

template <>
struct Fields<ExpertsSpec> {
  template <class Visitor>
  static void visit(Visitor& v, ExpertsSpec& spec) {
    v("num_moe_experts", spec.num_moe_experts, Limits{1, 100000});
    v("moe_router_topk", spec.moe_router_topk, Limits{1, 100000});
    v("moe_ffn_hidden_size", spec.moe_ffn_hidden_size, Limits{1, 1e7});
    v.optional("moe_shared_expert_intermediate_size", spec.moe_shared_expert_intermediate_size,
               Limits{0, 1e7});
    v.optional("moe_shared_expert_gate", spec.moe_shared_expert_gate);
    v.optional("moe_latent_size", spec.moe_latent_size, Limits{1, 1e6});
    v.optional("moe_router_num_groups", spec.moe_router_num_groups, Limits{1, 100000});
    v.optional("moe_router_group_topk", spec.moe_router_group_topk, Limits{1, 100000});
    v.optional("moe_router_score_function", spec.moe_router_score_function);
    v.optional("moe_router_pre_softmax", spec.moe_router_pre_softmax);
  }
};

template <>
struct Fields<ModelSpec> {
  template <class Visitor>
  static void visit(Visitor& v, ModelSpec& spec) {
    v("name", spec.name);
    v("source", spec.source);
    v("num_layers", spec.num_layers, Limits{1, 100000});
    v("hidden_size", spec.hidden_size, Limits{1, 1e6});
    v("ffn_hidden_size", spec.ffn_hidden_size, Limits{1, 1e7});
    v("num_attention_heads", spec.num_attention_heads, Limits{1, 100000});
    v("num_query_groups", spec.num_query_groups, Limits{1, 100000});
    v("kv_channels", spec.kv_channels, Limits{1, 100000});
    v("vocab_size", spec.vocab_size, Limits{1, 1e8});
    v("activation", spec.activation);
    v.optional("activation_func_clamp_value", spec.activation_func_clamp_value, Limits{1e-3, 1e6});
    v("normalization", spec.normalization);
    v("rotary_percent", spec.rotary_percent, kShare);
    v("share_embeddings_and_output_weights", spec.share_embeddings_and_output_weights);
    v.optional("hidden_dropout", spec.hidden_dropout, kShare);
    v.optional("attention_dropout", spec.attention_dropout, kShare);
    v.optional("qk_layernorm", spec.qk_layernorm);
    v.optional("attention_output_gate", spec.attention_output_gate);
    v.optional("add_bias_linear", spec.add_bias_linear);
    v.optional("add_qkv_bias", spec.add_qkv_bias);
    v.optional("softmax_type", spec.softmax_type);
    v.optional("window_size", spec.window_size, Limits{1, 1e9});
    v.optional("attention_chunk_size", spec.attention_chunk_size, Limits{1, 1e9});
    v.optional("multi_latent_attention", spec.multi_latent_attention);
    v.optional("dsa_indexer", spec.dsa_indexer);
    v.optional("mamba", spec.mamba);
    v.optional("gated_delta_net", spec.gated_delta_net);
    v.optional("experts", spec.experts);
    v.optional("mtp_num_layers", spec.mtp_num_layers, Limits{0, 100});
    v.optional("layers", spec.layers);
    v.optional("hybrid_override_pattern", spec.hybrid_override_pattern);
  }
};

}  // namespace simtrain
