#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {
namespace {

std::vector<ChunkLayout> even_chunks(const Recipe& recipe, int stage) {
  const ParallelismSpec& parallelism = recipe.parallelism;
  const int counted = recipe.model.num_layers +
                      (parallelism.account_for_embedding_in_pipeline_split ? 1 : 0) +
                      (parallelism.account_for_loss_in_pipeline_split ? 1 : 0);
  const int each = counted / (recipe.pp() * recipe.vp());
  std::vector<ChunkLayout> chunks(static_cast<std::size_t>(recipe.vp()), {each, false, false});
  if (stage == 0) {
    chunks.front().embedding = true;
    if (parallelism.account_for_embedding_in_pipeline_split) --chunks.front().layers;
  }
  if (stage == recipe.pp() - 1) {
    chunks.back().head = true;
    if (parallelism.account_for_loss_in_pipeline_split) --chunks.back().layers;
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

std::int64_t chunk_parameters(const Recipe& recipe, const ChunkLayout& chunk) {
  const ModelSpec& model = recipe.model;
  const int tp = recipe.tp();
  std::int64_t parameters =
      chunk.layers * (model.layer_matrix_parameters() / tp + model.layer_norm_parameters());
  if (chunk.embedding) parameters += model.embedding_parameters() / tp;
  if (chunk.head)
    parameters += model.embedding_parameters() / tp + model.layer_norm_parameters() / 2;
  return parameters;
}

std::int64_t stage_parameters(const Recipe& recipe, int stage) {
  std::int64_t parameters = 0;
  for (const ChunkLayout& chunk : stage_chunks(recipe, stage))
    parameters += chunk_parameters(recipe, chunk);
  return parameters;
}

}  // namespace simtrain
