#include "sim/workload/model/blocks/block.h"

namespace simtrain {
namespace {

/// `own_weights`: otherwise the output layer multiplies by weights that the rank has already.
Block head_with(const RankShape& shape, bool own_weights) {
  Operator output_layer = column_parallel(shape, {.module = "output_layer",
                                                  .columns = shape.model().vocab_size / shape.tp,
                                                  .place = GemmPlace::head});
  if (!own_weights) output_layer.weights.clear();
  Block block;
  block.branch =
      branch_of(norm(shape, {.module = "final_layernorm", .share = Share::embedding_loss}),
                std::move(output_layer), cross_entropy(shape));
  return block;
}

/// Tied to the table of embeddings it has weights of its own where that is on another stage.
Block head_block(const RankShape& shape) {
  return head_with(shape,
                   !shape.model().share_embeddings_and_output_weights || shape.recipe.ends_apart());
}

Block mtp_head_block(const RankShape& shape) { return head_with(shape, false); }

}  // namespace

BlockRow head_block() {
  return {BlockKind::head, "last on the last stage: final norm, output layer and loss", false,
          head_block};
}

BlockRow mtp_head_block() {
  return {BlockKind::mtp_head, "multi-token prediction: a loss more, by the output layer's weights",
          false, mtp_head_block};
}

}  // namespace simtrain
