#include "sim/workload/schedule/stage_layout.h"

#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

std::vector<ChunkLayout> even_chunks(const Recipe& recipe, const std::vector<int>& numbers) {
  const ParallelismSpec& parallelism = recipe.parallelism;
  const int embedding = parallelism.account_for_embedding_in_pipeline_split ? 1 : 0;
  const int loss = parallelism.account_for_loss_in_pipeline_split ? 1 : 0;
  const int each = (recipe.model.num_layers + embedding + loss) / (recipe.pp() * recipe.vp());
  std::vector<ChunkLayout> chunks;
  chunks.reserve(numbers.size());
  for (const int number : numbers) {
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
  const PipelineStage pipeline(pipeline_shape(recipe, 1), stage);
  if (!layout) return even_chunks(recipe, pipeline.model_chunks());
  const std::vector<ChunkLayout> all = chunks_of_layout(*layout);
  std::vector<ChunkLayout> own;
  for (const int number : pipeline.model_chunks())
    own.push_back(all[static_cast<std::size_t>(number)]);
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

}  // namespace

std::int64_t chunk_parameters(const ModelTotals& totals, const ChunkLayout& chunk,
                              GroupKind group) {
  std::int64_t parameters = 0;
  for (int layer = 0; layer < chunk.layers; ++layer)
    parameters += reduced_over(totals.layer(chunk.first_layer + layer), group);
  if (chunk.embedding) parameters += reduced_over(totals.embedding(), group);
  if (chunk.head) parameters += reduced_over(totals.head(), group);
  return parameters;
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
    const std::int64_t parameters = reduced_over(totals.layer(layer), group);
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
