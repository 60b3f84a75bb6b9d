#include "sim/import/model/layer_shape.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/input_error.h"
#include "sim/import/model/block_shape.h"
#include "sim/import/model/layer_pattern.h"
#include "sim/import/terms/term_findings.h"
#include "sim/workload/model/blocks/block.h"

namespace simtrain {
namespace {

/// A half of each layer; of one kind where all layers have the same.
struct LayerHalf {
  std::vector<BlockKind> kinds;
  std::string origin;
  bool assumed = false;

  [[nodiscard]] BlockKind of(std::size_t layer) const {
    return kinds[std::min(layer, kinds.size() - 1)];
  }
};

/// Layers that are alike, as many as recipes may give.
struct LayerRun {
  std::vector<BlockKind> blocks;
  std::int64_t repeat = 1;
};

std::string run_text(const LayerRun& run) {
  std::vector<std::string_view> names;
  names.reserve(run.blocks.size());
  for (const BlockKind block : run.blocks) names.push_back(name_of(block));
  return fmt::format("{{blocks: [{}], repeat: {}}}", fmt::join(names, ", "), run.repeat);
}

/// A list of layers, in which neighbours that are alike are one run.
std::string runs_text(const std::vector<LayerRun>& layers) {
  std::vector<std::string> texts;
  LayerRun run{{}, 0};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    run = {layers[i].blocks, run.repeat + layers[i].repeat};
    if (i + 1 < layers.size() && layers[i + 1].blocks == run.blocks) continue;
    texts.push_back(run_text(run));
    run.repeat = 0;
  }
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string halves_text(const LayerHalf& first, const LayerHalf& second, std::int64_t layers) {
  const std::size_t listed = std::max(first.kinds.size(), second.kinds.size());
  std::vector<LayerRun> runs;
  runs.reserve(listed);
  for (std::size_t i = 0; i < listed; ++i)
    runs.push_back({{first.of(i), second.of(i)}, listed == 1 ? layers : 1});
  return runs_text(runs);
}

std::vector<BlockKind> chosen_kinds(const std::vector<bool>& flags, BlockKind flagged,
                                    BlockKind other) {
  std::vector<BlockKind> kinds;
  kinds.reserve(flags.size());
  for (const bool flag : flags) kinds.push_back(flag ? flagged : other);
  return kinds;
}

LayerHalf sparse_of(const RecipeTerms& terms, std::int64_t layers) {
  const Given<std::string>& variant = *terms.experimental_attention_variant;
  if (!terms.dsa_indexer_freq) return {{BlockKind::dsa}, variant.origin, variant.assumed};
  const Given<YamlNode>& frequency = *terms.dsa_indexer_freq;
  return {chosen_kinds(window_layers(frequency, layers), BlockKind::dsa, BlockKind::dsa_shared),
          fmt::format("{}, {}", variant.origin, frequency.origin), frequency.assumed};
}

LayerHalf attention_of(const RecipeTerms& terms, std::int64_t layers) {
  const bool window = window_keys(terms).has_value();
  if (is_latent(terms)) {
    if (window)
      throw InputError(terms.window_size->place, terms.window_size->origin,
                       "is a window over multi-latent attention, which is not modelled");
    const Given<bool>& latent = *terms.multi_latent_attention;
    if (is_sparse(terms)) return sparse_of(terms, layers);
    return {{BlockKind::mla}, latent.origin, latent.assumed};
  }
  if (is_sparse(terms))
    throw InputError(terms.experimental_attention_variant->place,
                     terms.experimental_attention_variant->origin,
                     "is set; DeepSeek's sparse attention needs multi_latent_attention");
  if (is_delta(terms)) {
    const Given<std::string>& variant = *terms.experimental_attention_variant;
    if (window || !terms.linear_attention_freq)
      throw InputError(variant.place, variant.origin,
                       window ? "is set; a window beside it is not modelled"
                              : "needs linear_attention_freq, which says its layers");
    const Given<YamlNode>& frequency = *terms.linear_attention_freq;
    return {
        chosen_kinds(window_layers(frequency, layers), BlockKind::gated_delta_net, BlockKind::gqa),
        fmt::format("{}, {}", variant.origin, frequency.origin), frequency.assumed};
  }
  if (!window) return {{BlockKind::gqa}, "", false};
  const std::string& origin = terms.window_size->origin;
  if (!terms.window_attn_skip_freq) return {{BlockKind::swa}, origin, terms.window_size->assumed};
  const Given<YamlNode>& skip = *terms.window_attn_skip_freq;
  return {chosen_kinds(window_layers(skip, layers), BlockKind::swa, BlockKind::gqa),
          fmt::format("{}, {}", origin, skip.origin), skip.assumed};
}

LayerHalf feed_forward_of(const RecipeTerms& terms, std::int64_t layers) {
  if (!is_mixture(terms)) return {{BlockKind::mlp}, "", false};
  if (!terms.moe_layer_freq) return {{BlockKind::moe}, "experts in every layer", false};
  const Given<YamlNode>& frequency = *terms.moe_layer_freq;
  return {chosen_kinds(expert_layers(frequency, layers), BlockKind::moe, BlockKind::mlp),
          frequency.origin, frequency.assumed};
}

/// The override that leaves multi-token prediction out, of the map that the key of an origin is in.
std::string without_prediction(const std::string& origin) {
  const std::size_t dot = origin.starts_with("--") ? std::string::npos : origin.rfind('.');
  const std::string map = dot == std::string::npos ? "" : origin.substr(0, dot + 1);
  return fmt::format("--override {}mtp_num_layers=0", map);
}

/// A pattern's letters are those of blocks; others are refused with what they would mean.
void check_letters(const Given<std::string>& pattern) {
  const auto refuse = [&](const std::string& what) {
    std::string known;
    for (const BlockRow& row : block_rows()) {
      if (row.letter != 0) known += fmt::format("{}{}", known.empty() ? "" : " ", row.letter);
    }
    throw InputError(pattern.place, pattern.origin,
                     fmt::format("{}; letters of layers alone ({}) would do", what, known));
  };
  const auto size = static_cast<std::int64_t>(pattern.value.size());
  if (size > kMostPatternLayers)
    refuse(fmt::format("is of {} layers; up to {} are listed", size, kMostPatternLayers));
  for (const char letter : pattern.value) {
    if (letter == '/')
      refuse(
          fmt::format("has '/', behind which are layers of multi-token prediction; {} leaves "
                      "them out",
                      without_prediction(pattern.origin)));
    if (letter == '|') refuse("has '|', which cuts it into stages");
    if (row_of_letter(letter) == nullptr)
      refuse(fmt::format("has '{}', which is no letter of a layer",
                         plain_text(std::string(1, letter))));
  }
}

/// What no layer of a hybrid has.
void check_hybrid(const RecipeTerms& terms) {
  const auto refuse = [](const auto& given, std::string_view what) {
    throw InputError(given.place, given.origin,
                     fmt::format("is set; {} of a hybrid is not modelled", what));
  };
  if (is_latent(terms)) refuse(*terms.multi_latent_attention, "multi-latent attention");
  if (window_keys(terms)) refuse(*terms.window_size, "attention over a window");
  if (terms.mtp_num_layers && terms.mtp_num_layers->value > 0)
    throw InputError(terms.mtp_num_layers->place, terms.mtp_num_layers->origin,
                     fmt::format("is set; multi-token prediction of a hybrid is not modelled; {} "
                                 "leaves it out",
                                 without_prediction(terms.mtp_num_layers->origin)));
  if (has_letter(terms, BlockKind::moe) && !is_mixture(terms)) {
    const Given<std::string>& pattern = *terms.hybrid_override_pattern;
    throw InputError(pattern.place, pattern.origin,
                     "has layers of experts, but the recipe does not give how many there are");
  }
}

void add_pattern(std::vector<Finding>& shape, const RecipeTerms& terms) {
  const Given<std::string>& pattern = *terms.hybrid_override_pattern;
  check_letters(pattern);
  check_hybrid(terms);
  const auto size = static_cast<std::int64_t>(pattern.value.size());
  if (!terms.num_layers)
    shape.push_back({"num_layers", std::to_string(size), pattern.origin, pattern.assumed});
  if (terms.num_layers && terms.num_layers->value != size)
    throw InputError(
        terms.num_layers->place, terms.num_layers->origin,
        fmt::format("is {}, but {} has {} layers", terms.num_layers->value, pattern.origin, size));
  shape.push_back({"hybrid_override_pattern", fmt::format("\"{}\"", pattern.value), pattern.origin,
                   pattern.assumed});
}

bool has_kind(const LayerSpec& layer, BlockKind kind) {
  return std::find(layer.blocks.begin(), layer.blocks.end(), kind) != layer.blocks.end();
}

/// Which layers of a model have a block, as many layers as asked for: the model's own order from
/// the start, again and again.
std::vector<bool> flags_of(const std::vector<LayerSpec>& layers, BlockKind kind,
                           std::int64_t count) {
  std::vector<bool> own;
  for (const LayerSpec& layer : layers)
    own.insert(own.end(), static_cast<std::size_t>(std::max(1, layer.repeat)),
               has_kind(layer, kind));
  std::vector<bool> flags;
  flags.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count && !own.empty(); ++i)
    flags.push_back(own[static_cast<std::size_t>(i) % own.size()]);
  return flags;
}

}  // namespace

std::string layers_text(const ModelSpec& model) {
  if (!model.layers) return "";
  std::vector<LayerRun> runs;
  runs.reserve(model.layers->size());
  for (const LayerSpec& layer : *model.layers) runs.push_back({layer.blocks, layer.repeat});
  return runs_text(runs);
}

std::string hybrid_text(const ModelSpec& model) {
  if (!model.hybrid_override_pattern) return "";
  return fmt::format("\"{}\"", *model.hybrid_override_pattern);
}

bool has_letter(const RecipeTerms& terms, BlockKind block) {
  return terms.hybrid_override_pattern &&
         terms.hybrid_override_pattern->value.find(row_of(block).letter) != std::string::npos;
}

void add_layers(std::vector<Finding>& shape, const RecipeTerms& terms) {
  if (terms.hybrid_override_pattern) return add_pattern(shape, terms);
  if (terms.is_hybrid_model && terms.is_hybrid_model->value)
    throw InputError(terms.is_hybrid_model->place, terms.is_hybrid_model->origin,
                     "is true, but no hybrid_override_pattern says the layers");
  const bool usual =
      !is_mixture(terms) && !is_latent(terms) && !is_delta(terms) && !window_keys(terms);
  if (usual || !terms.num_layers) return;
  const std::int64_t layers = terms.num_layers->value;
  const LayerHalf attention = attention_of(terms, layers);
  const LayerHalf feed_forward = feed_forward_of(terms, layers);
  std::string origin = attention.origin;
  if (!feed_forward.origin.empty()) origin += (origin.empty() ? "" : ", ") + feed_forward.origin;
  shape.push_back({"layers", halves_text(attention, feed_forward, layers), origin,
                   attention.assumed || feed_forward.assumed});
}

void complete_layers(RecipeTerms& terms, const ModelSpec& base, const std::string& whose) {
  if (base.hybrid_override_pattern && !terms.hybrid_override_pattern)
    default_to(terms.hybrid_override_pattern, *base.hybrid_override_pattern, whose);
  const bool listed =
      is_mixture(terms) || is_latent(terms) || is_delta(terms) || terms.window_size.has_value();
  if (!listed || terms.hybrid_override_pattern) return;
  default_to(terms.ffn_hidden_size, base.ffn_hidden_size, whose);
  default_to(terms.num_layers, base.num_layers, whose);
  if (!base.layers) return;
  const std::int64_t count = std::min(terms.num_layers->value, kMostPatternLayers);
  const std::string order = "the order of layers of " + whose;
  const auto flagged = [&](BlockKind kind) {
    return Given<YamlNode>{pattern_node(flags_of(*base.layers, kind, count)), order, true, {}};
  };
  if (!terms.moe_layer_freq && base.experts) terms.moe_layer_freq = flagged(BlockKind::moe);
  if (!terms.window_attn_skip_freq && base.window_size)
    terms.window_attn_skip_freq = flagged(BlockKind::swa);
  if (!terms.linear_attention_freq && base.gated_delta_net)
    terms.linear_attention_freq = flagged(BlockKind::gated_delta_net);
}

bool has_other_layers(const ModelSpec& model) {
  if (!model.layers) return false;
  return std::any_of(model.layers->begin(), model.layers->end(), [](const LayerSpec& layer) {
    return layer.blocks.size() != 2 || has_kind(layer, BlockKind::chunked_gqa) ||
           has_kind(layer, BlockKind::dsa_shared) || has_kind(layer, BlockKind::mamba);
  });
}

bool has_dense_layers(const std::string& layers, const std::string& pattern) {
  if (!pattern.empty()) return pattern.find(row_of(BlockKind::mlp).letter) != std::string::npos;
  return layers.empty() || layers.find(name_of(BlockKind::mlp)) != std::string::npos;
}

}  // namespace simtrain
