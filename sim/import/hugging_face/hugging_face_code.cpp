#include "sim/import/hugging_face/hugging_face_code.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"
#include "sim/import/terms/term_findings.h"

namespace simtrain {
namespace {

constexpr Limits kSizes{1, 1000000};
constexpr Ignored kDecides{"decides a size that is taken"};

constexpr std::array kCodeKeys{KeyRow{"multi_query", kDecides},
                               KeyRow{"new_decoder_architecture", kDecides},
                               KeyRow{"expansion_ratio", kDecides},
                               KeyRow{"rotary_dim", kDecides},
                               KeyRow{"attn_config.attn_type", kDecides},
                               KeyRow{"no_bias", kDecides},
                               KeyRow{"parallel_attn", kDecides},
                               KeyRow{"use_parallel_residual", kDecides},
                               KeyRow{"sliding_window_pattern", kDecides},
                               KeyRow{"_sliding_window_pattern", kDecides}};

/// A flag of the tree; `otherwise` where it is not given.
bool flag(const YamlNode& tree, const char* key, bool otherwise) {
  const YamlNode* given = tree.find(key);
  if (given == nullptr || given->kind != YamlNode::Kind::scalar) return otherwise;
  return scalar_bool(*given, key);
}

void take(WholeTerm& term, std::int64_t value, const std::string& origin) {
  term = Given<std::int64_t>{value, origin, false, {}};
}

/// One key and value for all heads, as multi_query says it; Falcon's newer layers have a count.
void settle_groups(RecipeTerms& terms, const HuggingFaceType& type, const YamlNode& tree) {
  if (type.name == "falcon" && !flag(tree, "new_decoder_architecture", false)) {
    terms.num_query_groups.reset();
    if (flag(tree, "multi_query", true)) take(terms.num_query_groups, 1, "multi_query");
  }
  if (type.name == "gpt_bigcode" && flag(tree, "multi_query", true))
    take(terms.num_query_groups, 1, "multi_query");
  const YamlNode* attention = tree.find("attn_config");
  const YamlNode* kind = attention == nullptr ? nullptr : attention->find("attn_type");
  if (type.name == "mpt" && kind != nullptr && kind->text == "multiquery_attention")
    take(terms.num_query_groups, 1, "attn_config.attn_type");
  if (type.groups > 0 && !terms.num_query_groups)
    take(terms.num_query_groups, type.groups, fmt::format("model_type {}", type.name));
}

void settle_sizes(RecipeTerms& terms, const HuggingFaceType& type, const YamlNode& tree) {
  const std::string whose = fmt::format("model_type {}", type.name);
  if (type.heads > 0 && !terms.num_attention_heads)
    take(terms.num_attention_heads, type.heads, whose);
  if (type.vocab_size > 0 && !terms.padded_vocab_size)
    take(terms.padded_vocab_size, type.vocab_size, whose);
  const WholeTerm& hidden = terms.hidden_size;
  if (type.ffn_ratio > 0 && !terms.ffn_hidden_size && hidden && hidden->value < 1000000000) {
    const YamlNode* ratio = tree.find("expansion_ratio");
    const std::int64_t times =
        ratio == nullptr ? type.ffn_ratio : scalar_integer(*ratio, "expansion_ratio", kSizes);
    take(terms.ffn_hidden_size, times * hidden->value,
         fmt::format("{} x {}", times, hidden->origin));
  }
  if (type.halved_ffn && terms.ffn_hidden_size) {
    terms.ffn_hidden_size->value /= 2;
    terms.ffn_hidden_size->origin += ", which is of both branches";
  }
}

/// GPT-J and MiniMax rotate so many of the columns of a head.
void settle_rotary(RecipeTerms& terms, const YamlNode& tree) {
  const YamlNode* columns = tree.find("rotary_dim");
  const bool sized = terms.hidden_size && terms.num_attention_heads &&
                     terms.num_attention_heads->value > 0 &&
                     terms.hidden_size->value >= terms.num_attention_heads->value;
  if (columns == nullptr || columns->kind != YamlNode::Kind::scalar || !sized) return;
  const std::int64_t head = terms.kv_channels
                                ? std::max<std::int64_t>(1, terms.kv_channels->value)
                                : terms.hidden_size->value / terms.num_attention_heads->value;
  const std::int64_t rotated = scalar_integer(*columns, "rotary_dim", kSizes);
  terms.rotary_percent =
      Given<double>{std::min(1.0, static_cast<double>(rotated) / static_cast<double>(head)),
                    "rotary_dim", false, columns->place};
}

/// What differs only in the function of each element is as the nearest that is modelled.
void settle_activation(RecipeReading& reading, const HuggingFaceType& type) {
  constexpr std::array<std::string_view, 8> kGelus{
      "gelu",        "gelu_new", "gelu_fast",  "gelu_pytorch_tanh",
      "gelu_python", "gelu_10",  "quick_gelu", "gelu_accurate"};
  WordTerm& given = reading.terms.activation;
  if (!given)
    given = Given<std::string>{
        std::string(type.activation), fmt::format("model_type {}", type.name), false, {}};
  const bool gelu = std::find(kGelus.begin(), kGelus.end(), given->value) != kGelus.end();
  if (gelu) given->value = type.gated_gelu ? "swiglu" : "gelu";
  if (gelu && type.gated_gelu) given->origin += kGatedGelu;
  if (given->value == "relu" && type.activation != "silu") {
    given->value = "gelu";
    ++reading.left_out["ReLU, as GELU"][given->origin];
  }
  if (given->value == "xielu") {
    given->value = "relu2";
    ++reading.left_out["xIELU, as squared ReLU"][given->origin];
  }
}

void settle_biases_of_code(RecipeTerms& terms, const HuggingFaceType& type, const YamlNode& tree) {
  if (type.name != "mpt") return;
  terms.add_bias_linear = Given<bool>{!flag(tree, "no_bias", true), "no_bias", false, {}};
}

void note_code(RecipeReading& reading, const HuggingFaceType& type, const YamlNode& tree) {
  const std::string whose = fmt::format("model_type {}", type.name);
  const bool flagged = flag(tree, "use_parallel_residual", type.name == "gpt_neox") ||
                       flag(tree, "parallel_attn", type.name == "falcon");
  if (type.parallel || flagged) ++reading.left_out["attention and FFN side by side"][whose];
  if (type.post_norms) ++reading.left_out["norms behind attention and FFN"][whose];
  if (type.learned_positions) ++reading.left_out["learned embeddings of positions"][whose];
}

}  // namespace

std::span<const KeyRow> hugging_face_code_keys() { return kCodeKeys; }

void settle_hugging_face_code(RecipeReading& reading, const HuggingFaceType& type,
                              const YamlNode& tree) {
  settle_groups(reading.terms, type, tree);
  settle_sizes(reading.terms, type, tree);
  settle_rotary(reading.terms, tree);
  settle_activation(reading, type);
  settle_biases_of_code(reading.terms, type, tree);
  note_code(reading, type, tree);
}

}  // namespace simtrain
