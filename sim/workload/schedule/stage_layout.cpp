#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {
namespace {

std::vector<ChunkLayout> even_chunks(const Recipe& recipe, int stage) {
  const ParallelismSpec& parallelism = recipe.parallelism;
  const int embedding = parallelism.account_for_embedding_in_pipeline_split ? 1 : 0;
  const int loss = parallelism.account_for_loss_in_pipeline_split ? 1 : 0;
  const int each = (recipe.model.num_layers + embedding + loss) / (recipe.pp() * recipe.vp());
  std::vector<ChunkLayout> chunks;
  for (int chunk = 0; chunk < recipe.vp(); ++chunk) {
    const int number = chunk * recipe.pp() + stage;
    const int before = number > 0 ? number * each - embedding : 0;
    chunks.push_back({.layers = each, .first_layer = before});
  }
  if (stage == 0) {
    chunks.front().embedding = true;
    chunks.front().layers -= embedding;
  }
  if (stage == recipe.pp() - 1) {
    chunks.back().head = true;
    chunks.back().layers -= loss;
  }
  return chunks;
}

}  // namespace

std::vector<ChunkLayout> stage_chunks(const Recipe& recipe, int stage) {
  const auto& layout = recipe.parallelism.pipeline_model_parallel_layout;
  if (!layout) return even_chunks(recipe, stage);
  const std::vector<ChunkLayout> all = chunks_of_layout(*layout);
  std::vector<ChunkLayout> own;
  for (std::size_t i = static_cast<std::size_t>(stage); i < all.size();
       i += static_cast<std::size_t>(recipe.pp()))
    own.push_back(all[i]);
  return own;
}

DataType layer_weight_type(const Recipe& recipe) {
  return recipe.training.fp8_params ? DataType::fp8 : DataType::bf16;
}

std::int64_t chunk_parameters(const ModelTotals& totals, const ChunkLayout& chunk) {
  std::int64_t parameters = layer_parameters(totals, chunk);
  if (chunk.embedding) parameters += totals.embedding().parameters;
  if (chunk.head) parameters += totals.head().parameters;
  return parameters;
}

std::int64_t layer_parameters(const ModelTotals& totals, const ChunkLayout& chunk) {
  std::int64_t parameters = 0;
  for (int layer = 0; layer < chunk.layers; ++layer)
    parameters += totals.layer(chunk.first_layer + layer).parameters;
  return parameters;
}

std::int64_t stage_parameters(const Recipe& recipe, const ModelTotals& totals, int stage) {
  std::int64_t parameters = 0;
  for (const ChunkLayout& chunk : stage_chunks(recipe, stage))
    parameters += chunk_parameters(totals, chunk);
  return parameters;
}

}  // namespace simtrain
