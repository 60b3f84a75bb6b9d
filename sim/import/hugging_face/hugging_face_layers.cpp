#include "sim/import/hugging_face/hugging_face_layers.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"
#include "sim/import/model/layer_pattern.h"
#include "sim/import/terms/core_rows.h"

namespace simtrain {
namespace {

/// What the code of a model type decides where its configuration does not.
template <class T>
void set_by_code(std::optional<Given<T>>& term, std::type_identity_t<T> value,
                 const std::string& whose) {
  if (!term) term = Given<T>{std::move(value), whose, false, {}};
}

void require_latent_sizes(const RecipeTerms& terms, const std::string& whose,
                          const std::string& path) {
  const std::array<std::pair<const WholeTerm*, std::string_view>, 5> sizes{
      {{&terms.q_lora_rank, "q_lora_rank"},
       {&terms.kv_lora_rank, "kv_lora_rank"},
       {&terms.qk_head_dim, "qk_nope_head_dim"},
       {&terms.qk_pos_emb_head_dim, "qk_rope_head_dim"},
       {&terms.v_head_dim, "v_head_dim"}}};
  for (const auto& [term, key] : sizes) {
    if (!*term)
      throw InputError({path}, std::string(key),
                       fmt::format("is not given by this configuration; {} has multi-latent "
                                   "attention",
                                   whose));
  }
}

/// Which layers of a list of words are of this kind, not of the other.
std::vector<bool> layers_in(const Given<YamlNode>& types, std::string_view kind,
                            std::string_view other = "full_attention") {
  if (types.value.kind != YamlNode::Kind::list)
    throw InputError(types.place, types.origin, "must be a list of a word for each layer");
  std::vector<bool> flags;
  flags.reserve(types.value.items.size());
  for (const YamlNode& item : types.value.items) {
    const std::string word = scalar_text(item, types.origin);
    if (word != kind && word != other)
      throw InputError(item.place, types.origin,
                       fmt::format("'{}' is not modelled; {} or {} would do",
                                   plain_text(word.substr(0, 80)), kind, other));
    flags.push_back(word == kind);
  }
  return flags;
}

/// Windows of all layers but the first ones.
std::vector<bool> windows_behind(const Given<std::int64_t>& first, std::int64_t layers) {
  if (layers > kMostPatternLayers)
    throw InputError(
        first.place, first.origin,
        fmt::format("is of a model of {} layers; up to {} are listed", layers, kMostPatternLayers));
  std::vector<bool> windows;
  windows.reserve(static_cast<std::size_t>(layers));
  for (std::int64_t i = 0; i < layers; ++i) windows.push_back(i >= first.value);
  return windows;
}

/// The last of how many layers has no window: by a number, or a letter for each (LLLG).
Given<YamlNode> full_layers(const HuggingFaceType& type, const YamlNode& tree,
                            const std::string& whose) {
  YamlNode every;
  every.kind = YamlNode::Kind::scalar;
  every.text = std::to_string(type.full_every);
  for (const char* key : {"sliding_window_pattern", "_sliding_window_pattern"}) {
    const YamlNode* given = tree.find(key);
    if (given == nullptr || given->kind != YamlNode::Kind::scalar) continue;
    const std::string& text = given->text;
    const bool letters = text.ends_with('G') && text.find_first_not_of('L') == text.size() - 1;
    every.text = std::to_string(
        letters ? static_cast<std::int64_t>(text.size())
                : scalar_integer(*given, key, Limits{1, static_cast<double>(kMostPatternLayers)}));
    return {every, key, false, given->place};
  }
  return {std::move(every), whose, false, {}};
}

/// Which layers have the window of a configuration, as Megatron's window_attn_skip_freq says it.
void settle_windows(RecipeTerms& terms, const HuggingFaceType& type, const YamlNode& tree,
                    const std::string& whose) {
  if (type.window == TypeWindow::none) terms.window_size.reset();
  if (type.window == TypeWindow::switched) set_by_code(terms.use_window, false, whose);
  if (type.window != TypeWindow::switched) terms.use_window.reset();
  const bool off = terms.use_window && !terms.use_window->value;
  if (!terms.window_size || off) return terms.window_size.reset();
  const std::int64_t layers = terms.num_layers ? terms.num_layers->value : 0;
  if (terms.attention_types) {
    const Given<YamlNode>& types = *terms.attention_types;
    terms.window_attn_skip_freq = Given<YamlNode>{
        pattern_node(layers_in(types, "sliding_attention")), types.origin, false, types.place};
  } else if (type.window == TypeWindow::switched && terms.max_window_layers) {
    const Given<std::int64_t>& first = *terms.max_window_layers;
    terms.window_attn_skip_freq = Given<YamlNode>{pattern_node(windows_behind(first, layers)),
                                                  first.origin, false, first.place};
  } else if (type.window == TypeWindow::patterned) {
    terms.window_attn_skip_freq = full_layers(type, tree, whose);
  }
}

/// Which layers are gated delta nets: by a word for each, or all but the last of each N, of which
/// transformers has 4 where the configuration does not say.
void settle_delta(RecipeTerms& terms, const HuggingFaceType& type, const std::string& whose) {
  set_by_code(terms.experimental_attention_variant, "gated_delta_net", whose);
  set_by_code(terms.attention_output_gate, true, whose);
  if (type.experts != TypeExperts::none) set_by_code(terms.moe_shared_expert_gate, true, whose);
  if (terms.attention_types) {
    const Given<YamlNode>& types = *terms.attention_types;
    terms.linear_attention_freq = Given<YamlNode>{
        pattern_node(layers_in(types, "linear_attention")), types.origin, false, types.place};
  }
  YamlNode every;
  every.kind = YamlNode::Kind::scalar;
  every.text = "4";
  set_by_code(terms.linear_attention_freq, std::move(every), whose);
}

void note_bias(RecipeReading& reading, const std::string& what) {
  ++reading.left_out[std::string(kBiases.why)][what];
}

/// The biases of a configuration: of all linear modules, of QKV, or such as are only noted.
void settle_biases(RecipeReading& reading, const HuggingFaceType& type, const std::string& whose) {
  RecipeTerms& terms = reading.terms;
  const bool attention = terms.attention_bias && terms.attention_bias->value;
  const bool mlp = terms.mlp_bias && terms.mlp_bias->value;
  if (type.qkv_bias) set_by_code(terms.add_qkv_bias, true, whose);
  if (type.bias == TypeBias::ffn) note_bias(reading, "of the FFN, by " + whose);
  if (type.bias == TypeBias::all) {
    set_by_code(terms.add_bias_linear, true, whose);
  } else if (attention && mlp && type.bias == TypeBias::queries_to_output) {
    terms.add_bias_linear = terms.attention_bias;
    terms.add_bias_linear->origin += ", " + terms.mlp_bias->origin;
  } else {
    const bool latents = type.bias == TypeBias::latents;
    if (attention && !latents) terms.add_qkv_bias = terms.attention_bias;
    if (attention && latents) note_bias(reading, terms.attention_bias->origin);
    if (attention && type.bias == TypeBias::queries_to_output)
      note_bias(reading, "of attention's output, by " + terms.attention_bias->origin);
    if (mlp) note_bias(reading, terms.mlp_bias->origin);
  }
  set_by_code(terms.add_bias_linear, false, whose);
}

}  // namespace

void settle_hugging_face_layers(RecipeReading& reading, const HuggingFaceType& type,
                                const YamlNode& tree, const std::string& path) {
  RecipeTerms& terms = reading.terms;
  const std::string whose = fmt::format("model_type {}", type.name);
  if (type.qk_norm) set_by_code(terms.qk_layernorm, true, whose);
  if (type.sinks) set_by_code(terms.softmax_type, "learnable", whose);
  if (type.clamp > 0) set_by_code(terms.activation_func_clamp_value, type.clamp, whose);
  if (type.latent) {
    set_by_code(terms.multi_latent_attention, true, whose);
    take_none(tree, "q_lora_rank", terms.q_lora_rank);
    require_latent_sizes(terms, whose, path);
  }
  if (type.sparse) set_by_code(terms.experimental_attention_variant, "dsa", whose);
  if (const auto& types = terms.indexer_types) {
    terms.dsa_indexer_freq = Given<YamlNode>{pattern_node(layers_in(*types, "full", "shared")),
                                             types->origin, types->assumed, types->place};
  }
  if (type.delta) settle_delta(terms, type, whose);
  settle_windows(terms, type, tree, whose);
  settle_biases(reading, type, whose);
}

}  // namespace simtrain
