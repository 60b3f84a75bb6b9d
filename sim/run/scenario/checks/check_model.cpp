#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/run/scenario/checks/checks.h"
#include "sim/workload/model/blocks/block.h"
#include "sim/workload/model/layers/model_parts.h"

namespace simtrain {
namespace {

/// A list of layers has blocks that layers are made of.
void check_layer_list(const ModelSpec& model) {
  if (!model.layers) return;
  std::vector<std::string_view> known;
  for (const BlockRow& row : block_rows()) {
    if (row.of_layer) known.push_back(name_of(row.kind));
  }
  const auto refuse = [&](const LayerSpec& layer, const std::string& found) {
    throw InputError(layer.where, "layers.blocks",
                     fmt::format("{}; some of {} would do", found, fmt::join(known, ", ")));
  };
  for (const LayerSpec& layer : *model.layers) {
    if (layer.blocks.empty()) refuse(layer, "is empty");
    for (const BlockKind block : layer.blocks) {
      if (!row_of(block).of_layer)
        refuse(layer, fmt::format("has '{}', which is no block of a layer", name_of(block)));
    }
  }
}

/// A pattern has letters of blocks alone.
void check_pattern(const ModelSpec& model, const YamlNode& tree) {
  if (!model.hybrid_override_pattern) return;
  const std::string key = "hybrid_override_pattern";
  require(!model.layers, tree, key, "says the layers, and so does layers; one of them would do");
  std::vector<std::string> known;
  for (const BlockRow& row : block_rows()) {
    if (row.letter != 0) known.push_back(fmt::format("{} ({})", row.letter, name_of(row.kind)));
  }
  for (const char letter : *model.hybrid_override_pattern) {
    require(row_of_letter(letter) != nullptr, tree, key,
            "has '{}', which is no letter of a layer; some of {} would do", letter,
            fmt::join(known, ", "));
  }
}

void check_layer_number(const ModelSpec& model, const YamlNode& tree) {
  const std::int64_t layers = listed_layers(model);
  require(layers == model.num_layers, tree, model.layers ? "layers" : "hybrid_override_pattern",
          "has {} layers, num_layers says {}", layers, model.num_layers);
}

/// Blocks whose sizes a key of their own gives, and whether a model has it.
struct SizedBlocks {
  std::vector<BlockKind> blocks;
  std::string_view key;
  bool (*stated)(const ModelSpec& model) = nullptr;
};

std::span<const SizedBlocks> sized_blocks() {
  using enum BlockKind;
  static const std::array rows{
      SizedBlocks{{swa},
                  "window_size",
                  [](const ModelSpec& model) { return model.window_size.has_value(); }},
      SizedBlocks{{chunked_gqa},
                  "attention_chunk_size",
                  [](const ModelSpec& model) { return model.attention_chunk_size.has_value(); }},
      SizedBlocks{{mla, dsa, dsa_shared},
                  "multi_latent_attention",
                  [](const ModelSpec& model) { return model.multi_latent_attention.has_value(); }},
      SizedBlocks{{dsa, dsa_shared},
                  "dsa_indexer",
                  [](const ModelSpec& model) { return model.dsa_indexer.has_value(); }},
      SizedBlocks{{mamba}, "mamba", [](const ModelSpec& model) { return model.mamba.has_value(); }},
      SizedBlocks{{gated_delta_net},
                  "gated_delta_net",
                  [](const ModelSpec& model) { return model.gated_delta_net.has_value(); }},
      SizedBlocks{
          {moe}, "experts", [](const ModelSpec& model) { return model.experts.has_value(); }}};
  return rows;
}

/// The first of some blocks in a layer.
std::optional<BlockKind> first_of(const std::vector<BlockKind>& blocks, const LayerSpec& layer) {
  const auto found =
      std::find_first_of(layer.blocks.begin(), layer.blocks.end(), blocks.begin(), blocks.end());
  return found == layer.blocks.end() ? std::nullopt : std::optional(*found);
}

/// Such blocks stand in a list of layers where their sizes are given, and only there.
void check_block_sizes(const ModelSpec& model, const YamlNode& tree) {
  const std::vector<LayerSpec> layers = layer_specs(model);
  for (const SizedBlocks& sized : sized_blocks()) {
    const auto layer = std::find_if(layers.begin(), layers.end(), [&](const LayerSpec& spec) {
      return first_of(sized.blocks, spec).has_value();
    });
    const bool listed = layer != layers.end();
    if (listed && !sized.stated(model))
      throw InputError(model.layers ? layer->where : place_of(tree, "hybrid_override_pattern"),
                       model.layers ? "layers.blocks" : "hybrid_override_pattern",
                       fmt::format("has {}; {} is missing",
                                   name_of(*first_of(sized.blocks, *layer)), sized.key));
    require(listed || !sized.stated(model), tree, std::string(sized.key),
            "is of {} blocks, which layers does not have", name_of(sized.blocks.front()));
  }
}

/// Layers that take the keys of an earlier one come behind one.
void check_chosen_keys(const ModelSpec& model) {
  if (!model.layers || !model.dsa_indexer) return;
  const auto chooses =
      std::find_if(model.layers->begin(), model.layers->end(), [](const LayerSpec& layer) {
        return first_of({BlockKind::dsa, BlockKind::dsa_shared}, layer).has_value();
      });
  if (chooses == model.layers->end() || first_of({BlockKind::dsa}, *chooses)) return;
  throw InputError(chooses->where, "layers.blocks",
                   "has dsa_shared before any dsa, whose keys it takes");
}

void check_expert_shapes(const ModelSpec& model, const YamlNode& tree) {
  if (!model.experts) return;
  require(model.experts->moe_router_topk <= model.experts->num_moe_experts, tree, "experts",
          "takes {} of {} experts; at most all of them would do", model.experts->moe_router_topk,
          model.experts->num_moe_experts);
  const ExpertChoice choice = model.experts->choice();
  require(choice.experts % choice.groups == 0, tree, "experts",
          "moe_router_num_groups {} does not divide {} experts", choice.groups, choice.experts);
  require(choice.group_topk <= choice.groups, tree, "experts",
          "takes {} of {} groups of experts; at most all of them would do", choice.group_topk,
          choice.groups);
  require(choice.topk <= choice.experts / choice.groups * choice.group_topk, tree, "experts",
          "takes {} experts; moe_router_group_topk {} of {} groups have {}", choice.topk,
          choice.group_topk, choice.groups, choice.experts / choice.groups * choice.group_topk);
  const double weights = static_cast<double>(model.experts->num_moe_experts) *
                         static_cast<double>(model.experts->moe_ffn_hidden_size) *
                         static_cast<double>(model.hidden_size);
  require(weights <= kMostParameters, tree, "experts",
          "makes {:.3g} weights of one matrix of a layer; up to {:.0g} are modelled", weights,
          kMostParameters);
}

double checked_sizes(const ModelSpec& model, const YamlNode& tree) {
  constexpr double kMostColumns = 1e8;
  const auto check_columns = [&](std::int64_t of_head, const std::string& key) {
    const double columns =
        static_cast<double>(model.num_attention_heads) * static_cast<double>(of_head);
    require(columns <= kMostColumns, tree, key,
            "makes {:.3g} columns with {} heads; up to {:.0g} are modelled", columns,
            model.num_attention_heads, kMostColumns);
  };
  check_columns(model.kv_channels, "kv_channels");
  if (const auto& latent = model.multi_latent_attention)
    check_columns(latent->key_dimension() + latent->v_head_dim, "multi_latent_attention");
  require(
      !model.dsa_indexer || static_cast<double>(model.dsa_indexer->dsa_indexer_n_heads) *
                                    static_cast<double>(model.dsa_indexer->dsa_indexer_head_dim) <=
                                kMostColumns,
      tree, "dsa_indexer", "makes more columns than {:.0g}, which are modelled", kMostColumns);
  require(!model.mamba || static_cast<double>(model.mamba->inner_size()) +
                                  static_cast<double>(model.mamba->groups_size()) <=
                              kMostColumns,
          tree, "mamba", "makes more columns than {:.0g}, which are modelled", kMostColumns);
  require(!model.gated_delta_net || 2 * (static_cast<double>(model.gated_delta_net->key_size()) +
                                         static_cast<double>(model.gated_delta_net->value_size()) +
                                         model.gated_delta_net->linear_num_value_heads) <=
                                        kMostColumns,
          tree, "gated_delta_net", "makes more columns than {:.0g}, which are modelled",
          kMostColumns);
  const double parameters = whole_parameters(model);
  require(parameters <= kMostParameters, tree, "num_layers",
          "makes {:.3g} parameters; up to {:.0g} are modelled", parameters, kMostParameters);
  return parameters;
}

/// What one pass and one step have of a model, of `parameters` in all.
void check_step_sizes(const Recipe& recipe, double parameters, const YamlNode& tree) {
  constexpr double kMostTokens = 1e9;
  constexpr double kMostBuckets = 1e5;
  const double tokens =
      static_cast<double>(recipe.training.seq_length) * recipe.training.micro_batch_size;
  require(tokens <= kMostTokens, tree, "training.micro_batch_size",
          "makes {:.3g} tokens of one pass; up to {:.0g} are modelled", tokens, kMostTokens);
  const double buckets = parameters / recipe.tp() *
                         static_cast<double>(bytes_of(recipe.optimizer.grad_reduce_dtype)) /
                         (recipe.optimizer.bucket_size_mb * 1e6);
  require(buckets <= kMostBuckets, tree, "optimizer.bucket_size_mb",
          "makes {:.3g} buckets of the gradients; up to {:.0g} are simulated", buckets,
          kMostBuckets);
}

/// Under context parallelism each rank scans some heads over the whole sequence.
void check_scan(const Recipe& recipe, const YamlNode& tree) {
  const std::string key = "parallelism.context_parallel_size";
  const int heads = recipe.model.mamba->mamba_num_heads / recipe.tp();
  const int groups = std::max(1, recipe.model.mamba->mamba_num_groups / recipe.tp());
  divides(recipe.cp(), heads, tree, key, "the Mamba heads of a TP rank");
  require(groups % recipe.cp() == 0 || recipe.cp() % groups == 0, tree, key,
          "{} and the {} Mamba groups of a TP rank do not divide each other", recipe.cp(), groups);
}

void check_sequence(const Recipe& recipe, const YamlNode& tree) {
  const bool fused = recipe.attention() != AttentionKernel::unfused;
  require(fused || recipe.cp() == 1, tree, "parallelism.context_parallel_size",
          "is {}; the unfused attention of {} is not split over context, 1 would do", recipe.cp(),
          recipe.software.attention.value == AttentionKernel::unfused
              ? recipe.software.name
              : fmt::format("precision {}", name_of(recipe.training.precision)));
  require(
      fused || !recipe.model.dsa_indexer, tree, "model",
      "has dsa blocks, which unfused attention does not compute; a model without them would do");
  require(!recipe.model.gated_delta_net || recipe.cp() == 1, tree,
          "parallelism.context_parallel_size",
          "is {}; gated_delta_net blocks are not split over context, 1 would do", recipe.cp());
  if (recipe.model.mamba) check_scan(recipe, tree);
  if (const auto& chunk = recipe.model.attention_chunk_size)
    divides(std::min(*chunk, recipe.training.seq_length), recipe.training.seq_length, tree,
            "training.seq_length", "the sequence, which attention_chunk_size cuts");
  const std::int64_t blocks = recipe.cp() > 1 ? 2 * recipe.cp() : 1;
  require(recipe.training.seq_length % blocks == 0, tree, "parallelism.context_parallel_size",
          "{} cuts a sequence into {} blocks, which do not divide seq_length {}", recipe.cp(),
          blocks, recipe.training.seq_length);
  if (recipe.parallelism.sequence_parallel) {
    divides(recipe.tp(), recipe.training.seq_length / recipe.cp(), tree,
            "parallelism.sequence_parallel", "the tokens of a micro-batch");
  }
}

/// What depends on how tensor parallelism cuts a model.
void check_cuts(const Recipe& recipe, const YamlNode& tree) {
  const ModelSpec& model = recipe.model;
  const std::string key = "parallelism.tensor_model_parallel_size";
  divides(recipe.tp(), model.num_attention_heads, tree, key, "the attention heads");
  if (model.num_query_groups > 1)  // one is on all ranks
    divides(recipe.tp(), model.num_query_groups, tree, key, "the query groups");
  divides(recipe.tp(), model.ffn_hidden_size, tree, key, "ffn_hidden_size");
  divides(recipe.tp(), model.vocab_size, tree, key, "vocab_size");
  divides(recipe.tp(), model.hidden_size, tree, key, "hidden_size");
  if (model.mamba) {
    divides(recipe.tp(), model.mamba->mamba_num_heads, tree, key, "mamba_num_heads");
    divides(recipe.tp(), model.mamba->mamba_num_groups, tree, key, "mamba_num_groups");
  }
  if (model.gated_delta_net)
    divides(recipe.tp(), model.gated_delta_net->linear_num_key_heads, tree, key,
            "linear_num_key_heads");
}

}  // namespace

double whole_parameters(const ModelSpec& model) {
  Recipe one_rank;
  one_rank.model = model;
  const ModelTotals totals(one_rank);
  auto parameters = static_cast<double>(totals.embedding().parameters + totals.head().parameters);
  for (int kind = 0; kind < totals.kinds(); ++kind) {
    parameters += totals.layers().kinds()[static_cast<std::size_t>(kind)].layers *
                  static_cast<double>(totals.of_kind(kind).parameters);
  }
  return parameters;
}

double check_model(const ModelSpec& model, const YamlNode& tree) {
  check_layer_list(model);
  check_pattern(model, tree);
  check_layer_number(model, tree);
  check_block_sizes(model, tree);
  require(!model.activation_func_clamp_value || model.activation == Activation::swiglu, tree,
          "activation_func_clamp_value",
          "is of gated units; `activation: swiglu` would do, which is {}",
          name_of(model.activation));
  check_chosen_keys(model);
  check_expert_shapes(model, tree);
  require(model.num_attention_heads % model.num_query_groups == 0, tree, "num_query_groups",
          "{} does not divide the {} attention heads", model.num_query_groups,
          model.num_attention_heads);
  require(!model.mamba || model.mamba->mamba_num_heads % model.mamba->mamba_num_groups == 0, tree,
          "mamba.mamba_num_groups", "does not divide mamba_num_heads");
  require(!model.gated_delta_net || model.gated_delta_net->linear_num_value_heads %
                                            model.gated_delta_net->linear_num_key_heads ==
                                        0,
          tree, "gated_delta_net.linear_num_key_heads", "does not divide linear_num_value_heads");
  return checked_sizes(model, tree);
}

void check_model_cuts(const Recipe& recipe, double parameters, const YamlNode& tree) {
  require(recipe.model.mtp_num_layers == 0 || !recipe.overlap.defer_embedding_wgrad_compute, tree,
          "overlap.defer_embedding_wgrad_compute",
          "is true; {} has an output layer more for each depth of multi-token "
          "prediction, false would do",
          recipe.model.name);
  check_cuts(recipe, tree);
  check_step_sizes(recipe, parameters, tree);
  check_sequence(recipe, tree);
}

}  // namespace simtrain
