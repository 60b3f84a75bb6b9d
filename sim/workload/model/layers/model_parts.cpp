#include "sim/workload/model/layers/model_parts.h"

#include <algorithm>
#include <numeric>

#include "sim/workload/model/blocks/backward_end.h"
#include "sim/workload/model/operators/recompute_policy.h"

namespace simtrain {
namespace {

/// A recipe under which one rank has all of a model.
Recipe whole_model(const ModelSpec& model, std::int64_t seq_length) {
  Recipe recipe;
  recipe.model = model;
  recipe.training.seq_length = seq_length;
  recipe.training.micro_batch_size = 1;
  return recipe;
}

/// Where a model has adapters all its other weights are frozen.
bool trained(const Recipe& recipe, const Weight& weight) { return weight.adapter || !recipe.lora; }

void add_weights(PartTotals& totals, const Recipe& recipe, const Operator& op) {
  for (const Weight& weight : op.weights) {
    totals.parameters += weight.elements();
    if (weight.quantized) {
      totals.quantized_parameters += weight.elements();
      ++totals.quantized_modules;
    }
    const auto group = static_cast<std::size_t>(weight.reduced_over);
    totals.reduced_over[group] += weight.elements();
    if (weight.adapter) totals.adapters += weight.elements();
    if (!trained(recipe, weight)) continue;
    totals.trained_over[group] += weight.elements();
    totals.tensors.push_back({weight.reduced_over, weight.elements()});
    const bool whole = weight.reduced_over == GroupKind::data && !weight.sharded_over.has(Axis::tp);
    if (whole) totals.replicated_parameters += weight.elements();
    if (weight.matrix) totals.matrices.emplace_back(weight.rows, weight.columns);
  }
}

/// What the forward keeps of an operator, and what of it is dropped: by the operator's own module,
/// or with its block. `first`: the input of a block, which recompute of that block starts from.
void add_saved(PartTotals& totals, const Recipe& recipe, const Operator& op, bool with_block,
               bool first) {
  for (const SavedTensor& tensor : op.saved) {
    const bool dropped =
        (with_block && !first) || (tensor.dropped_by && recipe.recomputes(*tensor.dropped_by));
    (dropped ? totals.dropped_bytes : totals.saved_bytes) += tensor.bytes;
    if (!dropped && tensor.offloaded_by && recipe.offload.takes(*tensor.offloaded_by))
      totals.offloaded_bytes += tensor.bytes;
    first = false;
  }
}

void add_block(PartTotals& totals, const Recipe& recipe, const Block& block) {
  const bool dropped = block.recompute && recipe.recomputes(*block.recompute);
  double forward_bytes = totals.saved_bytes;  // of the blocks before
  double backward_bytes = 0;
  for (const Operator& op : block.branch) {
    add_weights(totals, recipe, op);
    add_saved(totals, recipe, op, dropped, &op == &block.branch.front());
    forward_bytes += op.forward_bytes;
    totals.deferred_bytes += op.deferred_bytes;
    totals.user_buffer_bytes += op.user_buffer_bytes;
    totals.dispatcher_buffer_bytes =
        std::max(totals.dispatcher_buffer_bytes, op.dispatcher_buffer_bytes);
    totals.flops.products += op.flops.products;
    totals.flops.attention_square += op.flops.attention_square;
    backward_bytes += op.backward_bytes;
  }
  if (block.residual) add_saved(totals, recipe, *block.residual, false, false);
  totals.forward_bytes = std::max(totals.forward_bytes, forward_bytes);
  totals.backward_bytes = std::max(totals.backward_bytes, backward_bytes);
}

/// Full recompute keeps the input of a layer, hidden states, and drops the rest.
void recompute_whole_layer(PartTotals& totals, const RankShape& shape) {
  const double input =
      shape.activation_bytes() * static_cast<double>(shape.hidden()) * shape.own_rows;
  totals.dropped_bytes += std::max(0.0, totals.saved_bytes - input);
  totals.saved_bytes = input;
}

/// A policy keeps the input of a layer and results of its operators.
void keep_by_policy(PartTotals& totals, const Recipe& recipe, const std::vector<Block>& blocks) {
  const RankShape shape(recipe);
  const double whole = totals.saved_bytes + totals.dropped_bytes;
  totals.saved_bytes =
      shape.activation_bytes() * static_cast<double>(shape.hidden()) * shape.own_rows;
  for (const Operator* op : recomputed_operators(blocks, recipe.software.stops_recompute_early()))
    totals.saved_bytes += kept_by_policy(*op, recipe.recompute);
  totals.dropped_bytes = std::max(0.0, whole - totals.saved_bytes);
}

/// Of a whole model.
template <class Count>
std::int64_t sum_of_parts(const ModelTotals& totals, Count count) {
  std::int64_t sum = count(totals.embedding()) + count(totals.head());
  for (std::size_t kind = 0; kind < totals.layers().kinds().size(); ++kind)
    sum += totals.layers().kinds()[kind].layers * count(totals.of_kind(static_cast<int>(kind)));
  return sum;
}

}  // namespace

std::vector<Block> blocks_of(const Recipe& recipe, const LayerList& layers, Part part, int kind) {
  const RankShape shape(recipe);
  std::vector<Block> blocks;
  if (part == Part::embedding) {
    blocks.push_back(row_of(BlockKind::embedding).make(shape));
    if (recipe.lora) end_backward(blocks);
    return blocks;
  }
  const RankShape high(recipe, recipe.precision().high);
  const auto add_layer = [&](const LayerKind& layer) {
    for (const BlockKind block : layer.blocks)
      blocks.push_back(row_of(block).make(layer.high ? high : shape));
  };
  if (part == Part::layer) {
    const LayerKind& layer = layers.kinds()[static_cast<std::size_t>(kind)];
    add_layer(layer);
    if (layer.first) end_backward(blocks);
    return blocks;
  }
  for (int depth = 0; depth < recipe.model.mtp_num_layers; ++depth) {
    blocks.push_back(row_of(BlockKind::mtp).make(shape));
    add_layer(
        layers.kinds()[static_cast<std::size_t>(layers.kind_of(recipe.model.num_layers - 1))]);
    blocks.push_back(row_of(BlockKind::mtp_head).make(high));
  }
  blocks.push_back(row_of(BlockKind::head).make(high));
  return blocks;
}

PartTotals part_totals(const Recipe& recipe, const LayerList& layers, Part part, int kind) {
  PartTotals totals;
  const std::vector<Block> blocks = blocks_of(recipe, layers, part, kind);
  for (const Block& block : blocks) add_block(totals, recipe, block);
  if (part == Part::layer && recipe.keeps_by_policy()) keep_by_policy(totals, recipe, blocks);
  if (part == Part::layer &&
      recomputes_layer(recipe, layers.kinds()[static_cast<std::size_t>(kind)]))
    recompute_whole_layer(totals, RankShape(recipe));
  return totals;
}

ModelTotals::ModelTotals(const Recipe& recipe)
    : list_(layers_of(recipe)),
      embedding_(part_totals(recipe, list_, Part::embedding)),
      head_(part_totals(recipe, list_, Part::head)) {
  for (std::size_t kind = 0; kind < list_.kinds().size(); ++kind)
    kinds_.push_back(part_totals(recipe, list_, Part::layer, static_cast<int>(kind)));
}

std::int64_t model_parameters(const ModelSpec& model) {
  return sum_of_parts(ModelTotals(whole_model(model, 1)),
                      [](const PartTotals& part) { return part.parameters; });
}

std::int64_t trained_parameters(const Recipe& recipe) {
  Recipe whole = whole_model(recipe.model, 1);
  whole.lora = recipe.lora;
  return sum_of_parts(ModelTotals(whole), [](const PartTotals& part) {
    return std::accumulate(part.trained_over.begin(), part.trained_over.end(), std::int64_t{0});
  });
}

ModelFlops model_flops(const ModelSpec& model, std::int64_t seq_length,
                       const std::optional<PackedSequencesSpec>& packed) {
  Recipe recipe = whole_model(model, seq_length);
  recipe.packed_sequences = packed;
  const ModelTotals totals(recipe);
  ModelFlops flops = totals.head().flops;
  for (std::size_t kind = 0; kind < totals.layers().kinds().size(); ++kind) {
    const ModelFlops& layer = totals.of_kind(static_cast<int>(kind)).flops;
    const int layers = totals.layers().kinds()[kind].layers;
    flops.products += layers * layer.products;
    flops.attention_square += layers * layer.attention_square;
  }
  return flops;
}

}  // namespace simtrain
