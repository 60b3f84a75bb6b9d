#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// Whether models of a type have experts; `some`: as their configuration says.
enum class TypeExperts { none, all, some };
/// Whether models of a type attend over a sliding window; `switched`: where use_sliding_window is
/// on; `patterned`: all but the last of each `full_every` layers.
enum class TypeWindow { none, all, switched, patterned };
/// Of which modules the biases of `attention_bias` are; `all` and `ffn`: there, whatever the
/// configuration gives.
enum class TypeBias { queries_to_output, queries_to_values, all, ffn, latents };

/// What the code of a Hugging Face model type does that its configuration does not give.
struct HuggingFaceType {
  std::string_view name;
  std::string_view normalization = "rmsnorm";
  std::string_view activation = "silu";
  double rotary = 1;
  std::int64_t head_dim = 0;  ///< 0: hidden size over heads
  bool grouped = false;       ///< num_key_value_heads has a default of its own, so is required
  bool qkv_bias = false;      ///< there, whatever the configuration gives
  bool qk_norm = false;
  bool latent = false;  ///< multi-latent attention
  bool sparse = false;  ///< of those, to keys that an indexer chooses
  bool delta = false;   ///< gated delta nets in most layers, and gated attention in the others
  bool sinks = false;   ///< a learned sink of each head
  double clamp = 0;     ///< where branches of gated units are cut off; 0: nowhere
  TypeExperts experts = TypeExperts::none;
  TypeWindow window = TypeWindow::none;
  TypeBias bias = TypeBias::queries_to_output;
  bool gated_gelu = false;         ///< GELU in a gated unit
  bool tied = false;               ///< output and embedding share weights, unless it is given
  bool parallel = false;           ///< attention and FFN side by side
  bool post_norms = false;         ///< norms behind attention and FFN too
  bool learned_positions = false;  ///< added to the embedding
  int ffn_ratio = 0;               ///< FFN over hidden size where no FFN is given; 0: it has to be
  bool halved_ffn = false;         ///< intermediate_size is of both branches
  int full_every = 2;              ///< of windows that are `patterned`
  std::int64_t heads = 0;  ///< of the class where the configuration leaves them out; 0: none
  std::int64_t groups = 0;
  std::int64_t vocab_size = 0;
};

std::span<const HuggingFaceType> hugging_face_types();

/// Throws InputError at a `model_type` that is missing, not known, or of layers that are not
/// modelled, with what those are.
const HuggingFaceType& hugging_face_type(const YamlNode& config, const std::string& path);

}  // namespace simtrain
