#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/collectives/expert_choice.h"
#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/source_place.h"

namespace simtrain {

enum class Activation { swiglu, squared_relu, gelu };
enum class Normalization { rmsnorm, layernorm1p };
/// What makes probabilities of a router's scores.
enum class RouterScore { softmax, sigmoid, sqrtsoftplus };
/// What the softmax of attention adds to its sum: nothing, one, or a learned sink of each head.
enum class SoftmaxType { vanilla, off_by_one, learnable };

template <>
struct EnumNames<Activation> {
  static constexpr std::array rows{
      std::pair{std::string_view("swiglu"), Activation::swiglu},
      std::pair{std::string_view("squared-relu"), Activation::squared_relu},
      std::pair{std::string_view("gelu"), Activation::gelu}};
};
template <>
struct EnumNames<Normalization> {
  static constexpr std::array rows{
      std::pair{std::string_view("rmsnorm"), Normalization::rmsnorm},
      std::pair{std::string_view("layernorm1p"), Normalization::layernorm1p}};
};

template <>
struct EnumNames<RouterScore> {
  static constexpr std::array rows{
      std::pair{std::string_view("softmax"), RouterScore::softmax},
      std::pair{std::string_view("sigmoid"), RouterScore::sigmoid},
      std::pair{std::string_view("sqrtsoftplus"), RouterScore::sqrtsoftplus}};
};

template <>
struct EnumNames<SoftmaxType> {
  static constexpr std::array rows{
      std::pair{std::string_view("vanilla"), SoftmaxType::vanilla},
      std::pair{std::string_view("off-by-one"), SoftmaxType::off_by_one},
      std::pair{std::string_view("learnable"), SoftmaxType::learnable}};
};

/// The blocks that models are made of; what each is says its row (blocks/block.h).
enum class BlockKind {
  gqa,
  swa,
  chunked_gqa,
  mla,
  dsa,
  dsa_shared,
  mamba,
  gated_delta_net,
  mlp,
  moe,
  mtp,
  mtp_head,
  embedding,
  head
};

template <>
struct EnumNames<BlockKind> {
  static constexpr std::array rows{
      std::pair{std::string_view("gqa"), BlockKind::gqa},
      std::pair{std::string_view("swa"), BlockKind::swa},
      std::pair{std::string_view("chunked_gqa"), BlockKind::chunked_gqa},
      std::pair{std::string_view("mla"), BlockKind::mla},
      std::pair{std::string_view("dsa"), BlockKind::dsa},
      std::pair{std::string_view("dsa_shared"), BlockKind::dsa_shared},
      std::pair{std::string_view("mamba"), BlockKind::mamba},
      std::pair{std::string_view("gated_delta_net"), BlockKind::gated_delta_net},
      std::pair{std::string_view("mlp"), BlockKind::mlp},
      std::pair{std::string_view("moe"), BlockKind::moe},
      std::pair{std::string_view("mtp"), BlockKind::mtp},
      std::pair{std::string_view("mtp_head"), BlockKind::mtp_head},
      std::pair{std::string_view("embedding"), BlockKind::embedding},
      std::pair{std::string_view("head"), BlockKind::head}};
};

/// Layers that are alike and follow each other.
struct LayerSpec {
  std::vector<BlockKind> blocks;  ///< of one layer, in order
  int repeat = 1;
  SourcePlace where;
};
template <>
struct Fields<LayerSpec>;

/// The sizes of a model's mla, dsa and dsa_shared blocks, in Megatron's words.
struct LatentAttentionSpec {
  std::optional<std::int64_t> q_lora_rank;  ///< missing: queries are projected from hidden states
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_head_dim = 0;          ///< of a query or key, without its rotary part
  std::int64_t qk_pos_emb_head_dim = 0;  ///< its rotary part, which all heads' keys share
  std::int64_t v_head_dim = 0;

  [[nodiscard]] std::int64_t key_dimension() const { return qk_head_dim + qk_pos_emb_head_dim; }
};
template <>
struct Fields<LatentAttentionSpec>;

/// What chooses the keys that a query of dsa and dsa_shared blocks sees, in Megatron's words.
struct DsaIndexerSpec {
  int dsa_indexer_n_heads = 0;
  std::int64_t dsa_indexer_head_dim = 0;
  std::int64_t dsa_indexer_topk = 0;  ///< keys that a query sees

  /// Columns of all its queries.
  [[nodiscard]] std::int64_t query_size() const {
    return dsa_indexer_n_heads * dsa_indexer_head_dim;
  }
};
template <>
struct Fields<DsaIndexerSpec>;

/// The sizes of a model's mamba blocks (Mamba-2), in Megatron's words.
struct MambaSpec {
  int mamba_num_heads = 0;
  std::int64_t mamba_head_dim = 0;
  std::int64_t mamba_state_dim = 0;
  int mamba_num_groups = 0;  ///< of heads that share B and C

  [[nodiscard]] std::int64_t inner_size() const { return mamba_head_dim * mamba_num_heads; }
  /// Of B and C together.
  [[nodiscard]] std::int64_t groups_size() const { return mamba_state_dim * 2 * mamba_num_groups; }
};
template <>
struct Fields<MambaSpec>;

/// The sizes of a model's gated_delta_net blocks, in Megatron's words.
struct GatedDeltaNetSpec {
  int linear_num_key_heads = 0;
  int linear_num_value_heads = 0;
  std::int64_t linear_key_head_dim = 0;  ///< of queries and keys
  std::int64_t linear_value_head_dim = 0;
  int linear_conv_kernel_dim = 4;  ///< positions that the convolution joins

  /// Of queries, and of keys.
  [[nodiscard]] std::int64_t key_size() const { return linear_num_key_heads * linear_key_head_dim; }
  [[nodiscard]] std::int64_t value_size() const {
    return linear_num_value_heads * linear_value_head_dim;
  }
};
template <>
struct Fields<GatedDeltaNetSpec>;

/// The experts of a model's moe blocks.
struct ExpertsSpec {
  int num_moe_experts = 0;
  int moe_router_topk = 0;
  std::int64_t moe_ffn_hidden_size = 0;  ///< of one expert, of one branch
  /// Of the experts that all tokens pass, together; 0: none.
  std::int64_t moe_shared_expert_intermediate_size = 0;
  bool moe_shared_expert_gate = false;  ///< a learned share of them for each token
  /// Columns of tokens that are dispatched, projected from hidden states and back; missing: those.
  std::optional<std::int64_t> moe_latent_size;
  int moe_router_num_groups = 1;  ///< of experts, equal ones
  int moe_router_group_topk = 1;  ///< groups whose experts a token may choose
  RouterScore moe_router_score_function = RouterScore::softmax;
  bool moe_router_pre_softmax = false;  ///< a softmax over all experts, not over those chosen

  [[nodiscard]] ExpertChoice choice() const {
    return {num_moe_experts, moe_router_topk, moe_router_num_groups, moe_router_group_topk};
  }
};
template <>
struct Fields<ExpertsSpec>;

/// Shape of a decoder: `scenarios/models/NAME.yaml`.
struct ModelSpec {
  std::string name;
  std::string source;
  int num_layers = 0;
  std::int64_t hidden_size = 0;
  std::int64_t ffn_hidden_size = 0;  ///< of one branch: a gated unit has two
  int num_attention_heads = 0;
  int num_query_groups = 0;
  std::int64_t kv_channels = 0;  ///< head dimension
  std::int64_t vocab_size = 0;
  Activation activation{};
  /// Both branches of a gated unit are cut off there before it (GPT-OSS).
  std::optional<double> activation_func_clamp_value;
  Normalization normalization{};
  double rotary_percent = 1;
  bool share_embeddings_and_output_weights = false;
  double hidden_dropout = 0;           ///< probability; what is not 0 keeps masks and takes time
  double attention_dropout = 0;        ///< the same of attention probabilities
  bool qk_layernorm = false;           ///< a norm of each head's query and key
  bool attention_output_gate = false;  ///< of gqa: a sigmoid gate for each column put out
  bool add_bias_linear = false;        ///< to all linear modules of layers
  bool add_qkv_bias = false;           ///< to the module that makes queries, keys and values
  SoftmaxType softmax_type = SoftmaxType::vanilla;
  std::optional<std::int64_t> window_size;           ///< of swa blocks: keys that a query sees
  std::optional<std::int64_t> attention_chunk_size;  ///< of chunked_gqa blocks
  std::optional<LatentAttentionSpec> multi_latent_attention;  ///< of mla, dsa, dsa_shared blocks
  std::optional<DsaIndexerSpec> dsa_indexer;                  ///< of dsa and dsa_shared blocks
  std::optional<MambaSpec> mamba;                             ///< of mamba blocks
  std::optional<GatedDeltaNetSpec> gated_delta_net;           ///< of gated_delta_net blocks
  std::optional<ExpertsSpec> experts;                         ///< of moe blocks
  /// Depths of multi-token prediction: each one more layer, of the last layer's kind, with an
  /// output layer and loss of its own.
  int mtp_num_layers = 0;
  /// The layers in order, as blocks or as a letter each (the letters of block rows); both missing:
  /// `num_layers` of gqa and mlp.
  std::optional<std::vector<LayerSpec>> layers;
  std::optional<std::string> hybrid_override_pattern;
  SourcePlace where;

  [[nodiscard]] std::int64_t query_size() const { return num_attention_heads * kv_channels; }
  /// Columns of FC1's output for an MLP of `ffn` columns: both branches of a gated unit.
  [[nodiscard]] std::int64_t fc1_size(std::int64_t ffn) const {
    return activation == Activation::swiglu ? 2 * ffn : ffn;
  }
  [[nodiscard]] bool has_experts() const { return experts.has_value(); }
};
template <>
struct Fields<ModelSpec>;

}  // namespace simtrain
