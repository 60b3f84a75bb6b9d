#include "sim/workload/model/blocks/block.h"

namespace simtrain {
namespace {

Block mamba_block(const RankShape& shape) {
  const MambaSpec& mamba = *shape.model().mamba;
  Block block;
  block.branch =
      branch_of(norm(shape, {.module = "mamba_norm",
                             .share = Share::memory_bound,
                             .recompute = RecomputeModule::layernorm}),
                column_parallel(shape, {.module = "in_proj",
                                        .columns = (2 * mamba.inner_size() + mamba.groups_size() +
                                                    mamba.mamba_num_heads) /
                                                   shape.tp,
                                        .place = GemmPlace::layer_alone}),
                mamba_mixer(shape),
                row_parallel(shape, {.module = "out_proj",
                                     .columns = mamba.inner_size() / shape.tp,
                                     .place = GemmPlace::layer_alone}));
  block.residual = residual(shape);
  return block;
}

}  // namespace

BlockRow mamba_block() {
  return {BlockKind::mamba, "Mamba-2: a state-space mixer between two linear modules", true,
          mamba_block, 'M'};
}

}  // namespace simtrain
