#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/source_place.h"

namespace simtrain {

enum class Activation { swiglu, squared_relu, gelu };
enum class Normalization { rmsnorm, layernorm1p };

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

/// The blocks that models are made of; what each is says its row (blocks/block.h).
enum class BlockKind { gqa, mlp, moe, embedding, head };

template <>
struct EnumNames<BlockKind> {
  static constexpr std::array rows{std::pair{std::string_view("gqa"), BlockKind::gqa},
                                   std::pair{std::string_view("mlp"), BlockKind::mlp},
                                   std::pair{std::string_view("moe"), BlockKind::moe},
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

/// The experts of a model's moe blocks.
struct ExpertsSpec {
  int num_moe_experts = 0;
  int moe_router_topk = 0;
  std::int64_t moe_ffn_hidden_size = 0;  ///< of one expert, of one branch
  /// Of the experts that all tokens pass, together; 0: none.
  std::int64_t moe_shared_expert_intermediate_size = 0;
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
  Normalization normalization{};
  double rotary_percent = 1;
  bool share_embeddings_and_output_weights = false;
  double hidden_dropout = 0;           ///< probability; what is not 0 keeps masks and takes time
  double attention_dropout = 0;        ///< the same of attention probabilities
  std::optional<ExpertsSpec> experts;  ///< of moe blocks
  /// The layers in order; missing: `num_layers` of gqa and mlp.
  std::optional<std::vector<LayerSpec>> layers;
  SourcePlace where;

  [[nodiscard]] std::int64_t query_size() const { return num_attention_heads * kv_channels; }
  [[nodiscard]] std::int64_t key_value_size() const { return num_query_groups * kv_channels; }
  /// Columns of FC1's output for an MLP of `ffn` columns: both branches of a gated unit.
  [[nodiscard]] std::int64_t fc1_size(std::int64_t ffn) const {
    return activation == Activation::swiglu ? 2 * ffn : ffn;
  }
  [[nodiscard]] bool has_experts() const { return experts.has_value(); }
};
template <>
struct Fields<ModelSpec>;

}  // namespace simtrain
