#include "sim/workload/schedule/stage_layout.h"

#include <numeric>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

std::vector<ChunkLayout> even_chunks(const Recipe& recipe, const std::vector<int>& numbers,
                                     int copies) {
  const ParallelismSpec& parallelism = recipe.parallelism;
  const int embedding = parallelism.account_for_embedding_in_pipeline_split ? 1 : 0;
  const int loss = parallelism.account_for_loss_in_pipeline_split ? 1 : 0;
  const int each = recipe.dealt_layers() / (recipe.pp() * recipe.vp());
  std::vector<ChunkLayout> chunks;
  chunks.reserve(numbers.size());
  for (const int chunk : numbers) {
    const int number = chunk / copies;
    const bool first = number == 0;
    const bool last = number + 1 == recipe.pp() * recipe.vp();
    chunks.push_back({.layers = each - (first ? embedding : 0) - (last ? loss : 0),
                      .embedding = first,
                      .head = last,
                      .first_layer = first ? 0 : number * each - embedding});
  }
  return chunks;
}

}  // namespace

std::vector<ChunkLayout> stage_chunks(const Recipe& recipe, int stage) {
  const auto& layout = recipe.parallelism.pipeline_model_parallel_layout;
  const PipelineShape shape = pipeline_shape(recipe, 1);
  const PipelineStage pipeline(shape, stage);
  if (!layout) return even_chunks(recipe, pipeline.model_chunks(), shape.copies());
  const std::vector<ChunkLayout> all = chunks_of_layout(*layout);
  std::vector<ChunkLayout> own;
  for (const int chunk : pipeline.model_chunks())
    own.push_back(all[static_cast<std::size_t>(chunk / shape.copies())]);
  return own;
}

const TensorFormat& layer_weight_format(const Recipe& recipe) {
  const PrecisionRow& precision = recipe.precision();
  return recipe.training.fp8_params ? precision.layers.weight.rowwise : precision.activation;
}

const TensorFormat& gathered_weight_format(const Recipe& recipe) {
  const auto& gathered = recipe.precision().gathered_parameters;
  return recipe.training.fp8_params && gathered ? *gathered : layer_weight_format(recipe);
}

namespace {

std::int64_t reduced_over(const PartTotals& part, GroupKind group) {
  return part.reduced_over[static_cast<std::size_t>(group)];
}

/// The sum over the parts of a chunk.
template <class Count>
std::int64_t sum_over_chunk(const ModelTotals& totals, const ChunkLayout& chunk, Count count) {
  std::int64_t sum = 0;
  for (int layer = 0; layer < chunk.layers; ++layer)
    sum += count(totals.layer(chunk.first_layer + layer));
  if (chunk.embedding) sum += count(totals.embedding());
  if (chunk.head) sum += count(totals.head());
  return sum;
}

}  // namespace

std::int64_t chunk_parameters(const ModelTotals& totals, const ChunkLayout& chunk,
                              GroupKind group) {
  return sum_over_chunk(totals, chunk,
                        [&](const PartTotals& part) { return reduced_over(part, group); });
}

std::int64_t trained_parameters(const ModelTotals& totals, const ChunkLayout& chunk,
                                GroupKind group) {
  return sum_over_chunk(totals, chunk, [&](const PartTotals& part) {
    return part.trained_over[static_cast<std::size_t>(group)];
  });
}

std::int64_t trained_parameters(const PartTotals& part) {
  return std::accumulate(part.trained_over.begin(), part.trained_over.end(), std::int64_t{0});
}

std::int64_t chunk_parameters(const ModelTotals& totals, const ChunkLayout& chunk) {
  std::int64_t parameters = 0;
  for (const GroupKind group : kGradientGroups)
    parameters += chunk_parameters(totals, chunk, group);
  return parameters;
}

LowParameters low_parameters(const ModelTotals& totals, const ChunkLayout& chunk, GroupKind group) {
  const LayerList& list = totals.layers();
  LowParameters low;
  if (chunk.embedding) low.ahead = reduced_over(totals.embedding(), group);
  for (int layer = chunk.first_layer; layer < chunk.first_layer + chunk.layers; ++layer) {
    const auto kind = static_cast<std::size_t>(list.kind_of(layer));
    const PartTotals& part = totals.layer(layer);
    const std::int64_t adapters = group == GroupKind::data ? part.adapters : 0;
    const std::int64_t parameters = reduced_over(part, group) - adapters;
    if (!list.kinds()[kind].high)
      low.count += parameters;
    else if (low.count == 0)
      low.ahead += parameters;
  }
  return low;
}

std::int64_t stage_parameters(const Recipe& recipe, const ModelTotals& totals, int stage) {
  std::int64_t parameters = 0;
  for (const ChunkLayout& chunk : stage_chunks(recipe, stage))
    parameters += chunk_parameters(totals, chunk);
  return parameters;
}

}  // namespace simtrain
