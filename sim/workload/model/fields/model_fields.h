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
struct Fields<ExpertsSpec> {
  template <class Visitor>
  static void visit(Visitor& v, ExpertsSpec& spec) {
    v("num_moe_experts", spec.num_moe_experts, Limits{1, 100000});
    v("moe_router_topk", spec.moe_router_topk, Limits{1, 100000});
    v("moe_ffn_hidden_size", spec.moe_ffn_hidden_size, Limits{1, 1e7});
    v.optional("moe_shared_expert_intermediate_size", spec.moe_shared_expert_intermediate_size,
               Limits{0, 1e7});
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
    v("normalization", spec.normalization);
    v("rotary_percent", spec.rotary_percent, kShare);
    v("share_embeddings_and_output_weights", spec.share_embeddings_and_output_weights);
    v.optional("hidden_dropout", spec.hidden_dropout, kShare);
    v.optional("attention_dropout", spec.attention_dropout, kShare);
    v.optional("experts", spec.experts);
    v.optional("layers", spec.layers);
  }
};

}  // namespace simtrain
