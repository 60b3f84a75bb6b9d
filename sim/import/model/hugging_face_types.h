#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace simtrain {

/// Whether models of a type have experts; `some`: as their configuration says.
enum class TypeExperts { none, all, some };
/// Whether models of a type attend over a sliding window; `switched`: where use_sliding_window is
/// on; `alternating`: the first of each two layers.
enum class TypeWindow { none, all, switched, alternating };
/// Of which modules the biases of `attention_bias` are.
enum class TypeBias { queries_to_output, queries_to_values, all, latents };

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
  bool sinks = false;   ///< a learned sink of each head
  TypeExperts experts = TypeExperts::none;
  TypeWindow window = TypeWindow::none;
  TypeBias bias = TypeBias::queries_to_output;
};

std::span<const HuggingFaceType> hugging_face_types();

}  // namespace simtrain
