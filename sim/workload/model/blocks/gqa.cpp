#include "sim/workload/model/blocks/block.h"

namespace simtrain {
namespace {

Block gqa_block(const RankShape& shape) {
  const ModelSpec& model = shape.model();
  Block block;
  block.branch =
      branch_of(norm(shape, {.module = "input_layernorm",
                             .share = Share::memory_bound,
                             .recompute = RecomputeModule::layernorm}),
                column_parallel(
                    shape, {.module = "linear_qkv",
                            .columns = (model.query_size() + 2 * model.key_value_size()) / shape.tp,
                            .dgrad = &TpOverlapTable::qkv_dgrad,
                            .wgrad = &TpOverlapTable::qkv_wgrad}),
                rotary(shape), core_attention(shape),
                row_parallel(shape, {.module = "linear_proj",
                                     .columns = model.query_size() / shape.tp,
                                     .saves_input = false,
                                     .fprop = &TpOverlapTable::proj_fprop}));
  block.residual = residual(shape);
  return block;
}

}  // namespace

BlockRow gqa_block() {
  return {BlockKind::gqa, "self-attention, each query group with keys and values of its own", true,
          gqa_block};
}

}  // namespace simtrain
