#include "sim/workload/model/blocks/block.h"

namespace simtrain {
namespace {

Block head_block(const RankShape& shape) {
  Block block;
  block.branch =
      branch_of(norm(shape, {.module = "final_layernorm", .share = Share::embedding_loss}),
                column_parallel(shape, {.module = "output_layer",
                                        .columns = shape.model().vocab_size / shape.tp,
                                        .place = GemmPlace::head}),
                cross_entropy(shape));
  return block;
}

}  // namespace

BlockRow head_block() {
  return {BlockKind::head, "last on the last stage: final norm, output layer and loss", false,
          head_block};
}

}  // namespace simtrain
