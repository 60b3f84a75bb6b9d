#include "sim/import/model/hugging_face_experts.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"
#include "sim/import/model/layer_pattern.h"
#include "sim/import/model/mixture_shape.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr NotSimulated kChunks{"attention within chunks; all positions are attended to"};

constexpr std::array kQwenKeys{
    KeyRow{"moe_intermediate_size", &T::moe_ffn_hidden_size},
    KeyRow{"shared_expert_intermediate_size", &T::moe_shared_expert_intermediate_size},
    KeyRow{"decoder_sparse_step", &T::moe_layer_step},
    KeyRow{"mlp_only_layers", &T::moe_dense_layers},
};
constexpr std::array kDbrxKeys{
    KeyRow{"n_layers", &T::num_layers},
    KeyRow{"d_model", &T::hidden_size},
    KeyRow{"n_heads", &T::num_attention_heads},
    KeyRow{"attn_config.kv_n_heads", &T::num_query_groups},
    KeyRow{"attn_config.*", kLearned},
    KeyRow{"ffn_config.moe_num_experts", &T::num_moe_experts},
    KeyRow{"ffn_config.moe_top_k", &T::moe_router_topk},
    KeyRow{"ffn_config.ffn_hidden_size", &T::ffn_hidden_size},
    KeyRow{"ffn_config.ffn_act_fn.name", &T::activation},
    KeyRow{"ffn_config.*", kLearned},
    KeyRow{"max_seq_len", kRange},
    KeyRow{"emb_pdrop", kLearned},
};
constexpr std::array kLlama4Keys{
    KeyRow{"intermediate_size", &T::moe_ffn_hidden_size},
    KeyRow{"intermediate_size_mlp", &T::ffn_hidden_size},
    KeyRow{"interleave_moe_layer_step", &T::moe_layer_step},
    KeyRow{"moe_layers", Ignored{"follows from interleave_moe_layer_step"}},
    KeyRow{"attention_chunk_size", kChunks},
    KeyRow{"no_rope_layers", NotSimulated{"layers without rotary embeddings, as which all are"}},
};

struct OwnKeys {
  std::string_view model_type;
  std::span<const KeyRow> rows;
};
constexpr std::array<OwnKeys, 5> kOwnKeys{{{"qwen2_moe", kQwenKeys},
                                           {"qwen3_moe", kQwenKeys},
                                           {"dbrx", kDbrxKeys},
                                           {"llama4", kLlama4Keys},
                                           {"llama4_text", kLlama4Keys}}};

/// The layers without experts of a list of their numbers, from 0.
void mark_dense(const Given<YamlNode>& dense, std::vector<bool>& experts) {
  if (dense.value.kind != YamlNode::Kind::list)
    throw InputError(dense.place, dense.origin, "must be a list of layers");
  for (const YamlNode& item : dense.value.items) {
    const std::int64_t layer =
        scalar_integer(item, dense.origin, Limits{0, static_cast<double>(experts.size()) - 1});
    experts[static_cast<std::size_t>(layer)] = false;
  }
}

/// Where not all layers have experts, which have, as Megatron's moe_layer_freq says it.
void order_layers(RecipeTerms& terms) {
  const std::int64_t layers = terms.num_layers ? terms.num_layers->value : 0;
  const std::int64_t step = terms.moe_layer_step ? terms.moe_layer_step->value : 1;
  const bool listed = terms.moe_dense_layers && !terms.moe_dense_layers->value.items.empty();
  if (step < 1)
    throw InputError(terms.moe_layer_step->place, terms.moe_layer_step->origin,
                     "is no number of layers; 1 or more would do");
  if (layers < 1 || (step == 1 && !listed)) return;
  if (layers > kMostPatternLayers)
    throw InputError(terms.num_layers->place, terms.num_layers->origin,
                     fmt::format("is more than the {} layers that can be listed where not all have "
                                 "experts",
                                 kMostPatternLayers));
  std::vector<bool> experts;
  experts.reserve(static_cast<std::size_t>(layers));
  for (std::int64_t i = 1; i <= layers; ++i) experts.push_back(i % step == 0);
  std::string origin = terms.moe_layer_step ? terms.moe_layer_step->origin : "";
  if (listed) {
    mark_dense(*terms.moe_dense_layers, experts);
    origin += (origin.empty() ? "" : ", ") + terms.moe_dense_layers->origin;
  }
  terms.moe_layer_freq = Given<YamlNode>{pattern_node(experts), origin, false, {}};
}

}  // namespace

std::span<const KeyRow> hugging_face_own_keys(std::string_view model_type) {
  for (const OwnKeys& own : kOwnKeys) {
    if (own.model_type == model_type) return own.rows;
  }
  return {};
}

void settle_hugging_face_experts(RecipeTerms& terms, bool mixture, const std::string& whose,
                                 const std::string& path) {
  if (!mixture) {
    if (!is_mixture(terms)) return;
    throw InputError(
        terms.num_moe_experts->place, terms.num_moe_experts->origin,
        fmt::format("is set to {}; {} has no experts", terms.num_moe_experts->value, whose));
  }
  if (!is_mixture(terms) || !terms.moe_router_topk)
    throw InputError({path}, terms.num_moe_experts ? "num_experts_per_tok" : "experts",
                     fmt::format("is not given by this configuration; {} has experts", whose));
  order_layers(terms);
}

}  // namespace simtrain
