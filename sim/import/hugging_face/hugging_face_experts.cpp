#include "sim/import/hugging_face/hugging_face_experts.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"
#include "sim/import/model/layer_pattern.h"
#include "sim/import/terms/term_findings.h"

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
constexpr std::array kQwenNextKeys{
    KeyRow{"moe_intermediate_size", &T::moe_ffn_hidden_size},
    KeyRow{"shared_expert_intermediate_size", &T::moe_shared_expert_intermediate_size},
    KeyRow{"decoder_sparse_step", &T::moe_layer_step},
    KeyRow{"mlp_only_layers", &T::moe_dense_layers},
    KeyRow{"full_attention_interval", &T::linear_attention_freq},
    KeyRow{"linear_num_key_heads", &T::linear_num_key_heads},
    KeyRow{"linear_num_value_heads", &T::linear_num_value_heads},
    KeyRow{"linear_key_head_dim", &T::linear_key_head_dim},
    KeyRow{"linear_value_head_dim", &T::linear_value_head_dim},
    KeyRow{"linear_conv_kernel_dim", &T::linear_conv_kernel_dim},
    KeyRow{"attn_output_gate", &T::attention_output_gate},
    KeyRow{"mtp_num_hidden_layers", NotSimulated{"multi-token prediction of a hybrid"}},
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
    KeyRow{"use_qk_norm", kQkNorm},
    KeyRow{"no_rope_layers", NotSimulated{"layers without rotary embeddings, as which all are"}},
};

constexpr Ignored kRouting{"routing is simulated as random"};
constexpr std::array kDeepSeekKeys{
    KeyRow{"q_lora_rank", &T::q_lora_rank},
    KeyRow{"kv_lora_rank", &T::kv_lora_rank},
    KeyRow{"qk_nope_head_dim", &T::qk_head_dim},
    KeyRow{"qk_rope_head_dim", &T::qk_pos_emb_head_dim},
    KeyRow{"v_head_dim", &T::v_head_dim},
    KeyRow{"moe_intermediate_size", &T::moe_ffn_hidden_size},
    KeyRow{"n_shared_experts", &T::moe_shared_experts},
    KeyRow{"first_k_dense_replace", &T::moe_first_dense},
    KeyRow{"moe_layer_freq", &T::moe_layer_freq},
    KeyRow{"num_nextn_predict_layers", &T::mtp_num_layers},
    KeyRow{"n_group", &T::moe_router_num_groups},
    KeyRow{"topk_group", &T::moe_router_group_topk},
    KeyRow{"topk_method", kRouting},
    KeyRow{"scoring_func", &T::moe_router_score_function},
    KeyRow{"ep_size", kOutside},
    KeyRow{"num_key_value_heads", Ignored{"multi-latent attention has keys for each head"}},
};
constexpr std::array kSparseKeys{
    KeyRow{"index_n_heads", &T::dsa_indexer_n_heads},
    KeyRow{"index_head_dim", &T::dsa_indexer_head_dim},
    KeyRow{"index_topk", &T::dsa_indexer_topk},
    KeyRow{"indexer_types", &T::indexer_types},
    KeyRow{"index_topk_freq", Ignored{"follows from indexer_types"}},
    KeyRow{"index_skip_topk_offset", Ignored{"follows from indexer_types"}},
    KeyRow{"index_topk_pattern", Ignored{"follows from indexer_types"}},
    KeyRow{"index_share_for_mtp_iteration",
           NotSimulated{"keys of multi-token prediction taken from the last layer"}},
    KeyRow{"indexer_rope_interleave", kRange},
    KeyRow{"layer_types", Ignored{"all layers have sparse attention"}},
    KeyRow{"mlp_layer_types", Ignored{"follows from first_k_dense_replace"}},
    KeyRow{"qk_head_dim", Ignored{"the sum of both parts of a key"}},
    KeyRow{"head_dim", Ignored{"follows from the parts of a key"}},
};
constexpr std::array kGlmKeys{
    KeyRow{"moe_intermediate_size", &T::moe_ffn_hidden_size},
    KeyRow{"n_shared_experts", &T::moe_shared_experts},
    KeyRow{"first_k_dense_replace", &T::moe_first_dense},
    KeyRow{"num_nextn_predict_layers", &T::mtp_num_layers},
    KeyRow{"n_group", &T::moe_router_num_groups},
    KeyRow{"topk_group", &T::moe_router_group_topk},
};
constexpr std::array kErnieKeys{
    KeyRow{"moe_num_experts", &T::num_moe_experts},
    KeyRow{"moe_k", &T::moe_router_topk},
    KeyRow{"moe_intermediate_size", &T::moe_ffn_hidden_size},
    KeyRow{"moe_num_shared_experts", &T::moe_shared_experts},
    KeyRow{"moe_layer_start_index", &T::moe_first_dense},
    KeyRow{"moe_layer_interval", &T::moe_layer_step},
    KeyRow{"moe_layer_end_index", NotSimulated{"where experts end before the last layer"}},
    KeyRow{"moe_*", kLearned},
};
constexpr std::array kBailingKeys{
    KeyRow{"num_shared_experts", &T::moe_shared_experts},
    KeyRow{"score_function", &T::moe_router_score_function},
    KeyRow{"moe_router_*", kRouting},
    KeyRow{"use_rmsnorm", kLearned},
    KeyRow{"norm_head", kLearned},
    KeyRow{"norm_softmax", kLearned},
    KeyRow{"embedding_dropout", kLearned},
    KeyRow{"output_dropout", kLearned},
    KeyRow{"routed_scaling_factor", kLearned},
};
constexpr std::array kApertusKeys{KeyRow{"qk_norm", &T::qk_layernorm}};
constexpr std::array kMimoKeys{KeyRow{"num_nextn_predict_layers", &T::mtp_num_layers}};
constexpr std::array kGptOssKeys{
    KeyRow{"experts_per_token", &T::moe_router_topk},
    KeyRow{"swiglu_limit", &T::activation_func_clamp_value},
    KeyRow{"initial_context_length", kRange},
};
constexpr std::array kNemotronHKeys{
    KeyRow{"hybrid_override_pattern", &T::hybrid_override_pattern},
    KeyRow{"mamba_num_heads", &T::mamba_num_heads},
    KeyRow{"mamba_head_dim", &T::mamba_head_dim},
    KeyRow{"ssm_state_size", &T::mamba_state_dim},
    KeyRow{"n_groups", &T::mamba_num_groups},
    KeyRow{"attention_head_dim", &T::kv_channels},
    KeyRow{"mlp_hidden_act", &T::activation},
    KeyRow{"moe_intermediate_size", &T::moe_ffn_hidden_size},
    KeyRow{"moe_shared_expert_intermediate_size", &T::moe_shared_expert_intermediate_size},
    KeyRow{"moe_latent_size", &T::moe_latent_size},
    KeyRow{"num_nextn_predict_layers", NotSimulated{"multi-token prediction of a hybrid"}},
    KeyRow{"mamba_proj_bias", kBiases},
    KeyRow{"rescale_prenorm_residual", kLearned},
    KeyRow{"residual_in_fp32", NotSimulated{"residuals in FP32"}},
    KeyRow{"partial_rotary_factor", Ignored{"this model type has no rotary embeddings"}},
    KeyRow{"time_step_*", kLearned},
    KeyRow{"n_group", &T::moe_router_num_groups},
    KeyRow{"topk_group", &T::moe_router_group_topk},
};

constexpr std::array kFirstDeepSeekKeys{
    KeyRow{"moe_intermediate_size", &T::moe_ffn_hidden_size},
    KeyRow{"n_shared_experts", &T::moe_shared_experts},
    KeyRow{"first_k_dense_replace", &T::moe_first_dense},
    KeyRow{"moe_layer_freq", &T::moe_layer_freq},
};
// Of types without experts that give biases and activation by keys of their own.
constexpr std::array kGemmaKeys{
    KeyRow{"hidden_act", Ignored{"follows from hidden_activation"}},
    KeyRow{"hidden_activation", &T::activation},
};
constexpr std::array kBiasKeys{KeyRow{"bias", &T::attention_bias}};
constexpr std::array kAllBiasKeys{
    KeyRow{"bias", &T::add_bias_linear}, KeyRow{"use_bias", &T::add_bias_linear},
    KeyRow{"enable_bias", &T::add_bias_linear}, KeyRow{"dropout", &T::hidden_dropout}};

struct OwnKeys {
  std::string_view model_type;
  std::span<const KeyRow> rows;
  std::span<const KeyRow> more{};
};
constexpr std::array<OwnKeys, 33> kOwnKeys{{{"qwen2_moe", kQwenKeys},
                                            {"qwen3_next", kQwenNextKeys},
                                            {"qwen3_5_text", kQwenNextKeys},
                                            {"qwen3_5_moe_text", kQwenNextKeys},
                                            {"qwen3_moe", kQwenKeys},
                                            {"dbrx", kDbrxKeys},
                                            {"llama4", kLlama4Keys},
                                            {"llama4_text", kLlama4Keys},
                                            {"deepseek_v2", kDeepSeekKeys},
                                            {"deepseek_v3", kDeepSeekKeys},
                                            {"deepseek_v32", kSparseKeys, kDeepSeekKeys},
                                            {"glm_moe_dsa", kSparseKeys, kDeepSeekKeys},
                                            {"kimi_k2", kDeepSeekKeys},
                                            {"glm4_moe_lite", kDeepSeekKeys},
                                            {"ernie4_5_moe", kErnieKeys, kAllBiasKeys},
                                            {"bailing_moe", kBailingKeys, kGlmKeys},
                                            {"bailing_moe_v2", kBailingKeys, kGlmKeys},
                                            {"mimo", kMimoKeys},
                                            {"apertus", kApertusKeys},
                                            {"glm4_moe", kGlmKeys},
                                            {"gpt_oss", kGptOssKeys},
                                            {"nemotron_h", kNemotronHKeys},
                                            {"deepseek", kFirstDeepSeekKeys},
                                            {"dots1", kGlmKeys},
                                            {"gemma", kGemmaKeys},
                                            {"gemma2", kGemmaKeys},
                                            {"gemma3_text", kGemmaKeys},
                                            {"internlm", kBiasKeys},
                                            {"internlm2", kBiasKeys},
                                            {"falcon", kAllBiasKeys},
                                            {"starcoder2", kAllBiasKeys},
                                            {"opt", kAllBiasKeys},
                                            {"ernie4_5", kAllBiasKeys}}};

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

/// The first layers without experts, of those that otherwise have them. DeepSeek's moe_layer_freq
/// is Megatron's.
void skip_first(RecipeTerms& terms) {
  if (!terms.moe_first_dense || terms.moe_first_dense->value == 0 || !terms.num_layers) return;
  const Given<std::int64_t>& first = *terms.moe_first_dense;
  YamlNode every;
  every.kind = YamlNode::Kind::scalar;
  every.text = "1";
  const Given<YamlNode> frequency = terms.moe_layer_freq.value_or(
      Given<YamlNode>{std::move(every), first.origin, false, first.place});
  std::vector<bool> experts = expert_layers(frequency, terms.num_layers->value);
  if (first.value >= static_cast<std::int64_t>(experts.size()))
    throw InputError(first.place, first.origin,
                     fmt::format("is {}, which leaves no layer of {} with experts", first.value,
                                 experts.size()));
  std::fill_n(experts.begin(), first.value, false);
  terms.moe_layer_freq = Given<YamlNode>{pattern_node(experts), first.origin, false, first.place};
}

/// Shared experts that are counted are as wide as the others.
void widen_shared(RecipeTerms& terms) {
  constexpr std::int64_t kMostShared = 100000;
  const WholeTerm& count = terms.moe_shared_experts;
  if (!count || count->value == 0 || !terms.moe_ffn_hidden_size) return;
  const std::int64_t size = terms.moe_ffn_hidden_size->value;
  if (count->value > kMostShared || size > 1000000000)
    throw InputError(count->place, count->origin, "is too many experts for all tokens");
  terms.moe_shared_expert_intermediate_size = Given<std::int64_t>{
      count->value * size, fmt::format("{} x {}", count->origin, terms.moe_ffn_hidden_size->origin),
      false, count->place};
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

std::vector<KeyRow> hugging_face_own_keys(std::string_view model_type) {
  std::vector<KeyRow> rows;
  for (const OwnKeys& own : kOwnKeys) {
    if (own.model_type != model_type) continue;
    rows.insert(rows.end(), own.rows.begin(), own.rows.end());
    rows.insert(rows.end(), own.more.begin(), own.more.end());
  }
  return rows;
}

void settle_hugging_face_experts(RecipeTerms& terms, TypeExperts experts, const std::string& whose,
                                 const std::string& path) {
  if (experts == TypeExperts::some && !is_mixture(terms)) return;
  if (experts == TypeExperts::none) {
    if (!is_mixture(terms)) return;
    throw InputError(
        terms.num_moe_experts->place, terms.num_moe_experts->origin,
        fmt::format("is set to {}; {} has no experts", terms.num_moe_experts->value, whose));
  }
  if (!is_mixture(terms) || !terms.moe_router_topk)
    throw InputError({path}, terms.num_moe_experts ? "num_experts_per_tok" : "experts",
                     fmt::format("is not given by this configuration; {} has experts", whose));
  order_layers(terms);
  skip_first(terms);
  widen_shared(terms);
}

}  // namespace simtrain
