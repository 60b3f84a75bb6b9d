#include "sim/import/model/mixture_shape.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/number_text.h"
#include "sim/import/model/layer_pattern.h"

namespace simtrain {
namespace {

/// The values of `experts`, as wide as recipes may give them.
struct ExpertCounts {
  std::int64_t experts = 0;
  std::int64_t topk = 0;
  std::int64_t ffn = 0;
  std::int64_t shared = 0;
};

std::string counts_text(const ExpertCounts& counts) {
  std::string text =
      fmt::format("num_moe_experts: {}, moe_router_topk: {}, moe_ffn_hidden_size: {}",
                  counts.experts, counts.topk, counts.ffn);
  if (counts.shared > 0)
    text += fmt::format(", moe_shared_expert_intermediate_size: {}", counts.shared);
  return "{" + text + "}";
}

std::string run_text(const std::vector<BlockKind>& blocks, std::int64_t repeat) {
  std::vector<std::string_view> names;
  names.reserve(blocks.size());
  for (const BlockKind block : blocks) names.push_back(name_of(block));
  return fmt::format("{{blocks: [{}], repeat: {}}}", fmt::join(names, ", "), repeat);
}

std::vector<BlockKind> layer_blocks(bool experts) {
  return {BlockKind::gqa, experts ? BlockKind::moe : BlockKind::mlp};
}

/// Layers, each with experts or an MLP.
std::string flags_text(const std::vector<bool>& flags) {
  std::vector<std::string> runs;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= flags.size(); ++i) {
    if (i < flags.size() && flags[i] == flags[begin]) continue;
    runs.push_back(run_text(layer_blocks(flags[begin]), static_cast<std::int64_t>(i - begin)));
    begin = i;
  }
  return fmt::format("[{}]", fmt::join(runs, ", "));
}

bool has_moe(const LayerSpec& layer) {
  return std::find(layer.blocks.begin(), layer.blocks.end(), BlockKind::moe) != layer.blocks.end();
}

/// Which layers of a model have experts, as many layers as asked for: the model's own order from
/// the start, again and again.
std::vector<bool> flags_of(const std::vector<LayerSpec>& layers, std::int64_t count) {
  std::vector<bool> own;
  for (const LayerSpec& layer : layers)
    own.insert(own.end(), static_cast<std::size_t>(std::max(1, layer.repeat)), has_moe(layer));
  std::vector<bool> flags;
  flags.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count && !own.empty(); ++i)
    flags.push_back(own[static_cast<std::size_t>(i) % own.size()]);
  return flags;
}

/// The FFN of an expert: the recipe's, or that of the model.
std::optional<std::int64_t> ffn_of_experts(const std::vector<Finding>& shape,
                                           const RecipeTerms& terms) {
  if (terms.moe_ffn_hidden_size) return terms.moe_ffn_hidden_size->value;
  for (const Finding& finding : shape) {
    if (finding.key == "ffn_hidden_size") return number_as<std::int64_t>(finding.value);
  }
  return std::nullopt;
}

Finding experts_of(std::int64_t ffn, const RecipeTerms& terms) {
  constexpr std::int64_t kTopk = 2;
  const WholeTerm& topk = terms.moe_router_topk;
  const WholeTerm& shared = terms.moe_shared_expert_intermediate_size;
  std::vector<std::string> origins;
  for (const WholeTerm& term : {terms.num_moe_experts, topk, terms.moe_ffn_hidden_size, shared}) {
    if (term && !term->assumed) origins.push_back(term->origin);
  }
  std::string origin = fmt::format("{}", fmt::join(origins, ", "));
  if (!terms.moe_ffn_hidden_size) origin += "; of the FFN of the model";
  if (!topk) origin += "; 2 of them for a token, Megatron's default";
  const ExpertCounts counts{terms.num_moe_experts->value, topk ? topk->value : kTopk, ffn,
                            shared ? shared->value : 0};
  return {"experts", counts_text(counts), origin, !topk};
}

}  // namespace

std::string experts_text(const ModelSpec& model) {
  if (!model.experts) return "";
  const ExpertsSpec& experts = *model.experts;
  return counts_text({experts.num_moe_experts, experts.moe_router_topk, experts.moe_ffn_hidden_size,
                      experts.moe_shared_expert_intermediate_size});
}

std::string layers_text(const ModelSpec& model) {
  if (!model.layers) return "";
  std::vector<std::string> runs;
  std::int64_t repeat = 0;
  const std::vector<LayerSpec>& layers = *model.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    repeat += layers[i].repeat;
    if (i + 1 < layers.size() && layers[i + 1].blocks == layers[i].blocks) continue;
    runs.push_back(run_text(layers[i].blocks, repeat));
    repeat = 0;
  }
  return fmt::format("[{}]", fmt::join(runs, ", "));
}

bool is_mixture(const RecipeTerms& terms) {
  return terms.num_moe_experts && terms.num_moe_experts->value > 0;
}

void add_experts(std::vector<Finding>& shape, const RecipeTerms& terms) {
  if (!is_mixture(terms)) return;
  if (const auto ffn = ffn_of_experts(shape, terms)) shape.push_back(experts_of(*ffn, terms));
  if (!terms.num_layers) return;
  const std::int64_t count = terms.num_layers->value;
  if (!terms.moe_layer_freq) {
    shape.push_back(
        {"layers", "[" + run_text(layer_blocks(true), count) + "]", "experts in every layer"});
    return;
  }
  shape.push_back({"layers", flags_text(expert_layers(*terms.moe_layer_freq, count)),
                   terms.moe_layer_freq->origin, terms.moe_layer_freq->assumed});
}

void complete_experts(RecipeTerms& terms, const ModelSpec& base, const std::string& whose) {
  if (base.experts) {
    default_to(terms.num_moe_experts, base.experts->num_moe_experts, whose);
    default_to(terms.moe_router_topk, base.experts->moe_router_topk, whose);
    default_to(terms.moe_ffn_hidden_size, base.experts->moe_ffn_hidden_size, whose);
    default_to(terms.moe_shared_expert_intermediate_size,
               base.experts->moe_shared_expert_intermediate_size, whose);
  }
  if (!is_mixture(terms)) return;
  default_to(terms.ffn_hidden_size, base.ffn_hidden_size, whose);
  default_to(terms.num_layers, base.num_layers, whose);
  if (terms.moe_layer_freq || !base.experts || !base.layers) return;
  const std::int64_t count = std::min(terms.num_layers->value, kMostPatternLayers);
  terms.moe_layer_freq = Given<YamlNode>{
      pattern_node(flags_of(*base.layers, count)), "the order of layers of " + whose, true, {}};
}

bool has_dense_layers(const std::string& layers) {
  return layers.empty() || layers.find(name_of(BlockKind::mlp)) != std::string::npos;
}

}  // namespace simtrain
