#include "sim/import/maxtext/base_shape.h"

#include <bit>
#include <string>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/scalar_text.h"

namespace simtrain {
void settle_scale(RecipeTerms& terms, const YamlNode& tree) {
  const YamlNode* given = tree.find("global_parameter_scale");
  if (given == nullptr || given->kind != YamlNode::Kind::scalar) return;
  const auto scale = static_cast<std::uint64_t>(
      scalar_integer(*given, "global_parameter_scale", Limits{1, 1 << 20}));
  if (!std::has_single_bit(scale))
    throw InputError(given->place, "global_parameter_scale", "is no power of two");
  const int doublings = std::countr_zero(scale);
  if (doublings == 0 || terms.model_class) return;
  const auto grow = [&](WholeTerm& term, std::int64_t usual, int times) {
    default_to(term, usual, kMaxTextBase);
    if (term->value > std::int64_t{1} << 30) return;
    term->value <<= times;
    term->origin += fmt::format(", global_parameter_scale {}", scale);
  };
  const int heads = (doublings + 2) / 3;
  grow(terms.num_attention_heads, 16, heads);
  grow(terms.num_query_groups, 16, heads);
  grow(terms.ffn_hidden_size, 7168, heads);
  grow(terms.hidden_size, 2048, (doublings + 1) / 3);
  grow(terms.num_layers, 16, doublings / 3);
}

void add_base_shape(RecipeTerms& terms, const RecipeRequest& request) {
  if (terms.model_class || request.model) return;
  default_to(terms.num_layers, 16, kMaxTextBase);
  default_to(terms.hidden_size, 2048, kMaxTextBase);
  default_to(terms.ffn_hidden_size, 7168, kMaxTextBase);
  default_to(terms.num_attention_heads, 16, kMaxTextBase);
  default_to(terms.num_query_groups, 16, kMaxTextBase);
  default_to(terms.kv_channels, 128, kMaxTextBase);
  default_to(terms.padded_vocab_size, 32000, kMaxTextBase);
  default_to(terms.activation, "silu,linear", kMaxTextBase);
}

}  // namespace simtrain
