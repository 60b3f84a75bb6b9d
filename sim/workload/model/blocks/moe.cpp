#include "sim/workload/model/blocks/block.h"
#include "sim/workload/model/operators/casts.h"
#include "sim/workload/model/operators/experts/expert_operators.h"

namespace simtrain {
namespace {

/// Experts that all tokens pass: an MLP before the tokens are dispatched.
void add_shared_experts(std::vector<Operator>& branch, const RankShape& shape) {
  const ModelSpec& model = shape.model();
  const std::int64_t ffn = model.experts->moe_shared_expert_intermediate_size;
  if (ffn == 0) return;
  const LinearFormats& formats = shape.linear;
  const double input = static_cast<double>(shape.hidden()) * shape.own_rows;
  Operator quantized;  // the norm's output, which the router reads as it is
  quantized.module = "shared_experts_fc1";
  quantized.forward = [=, &formats](ProgramBuilder& builder) {
    cast(builder, input, cast_bytes(formats.input));
  };
  quantized.backward = input_gradient_only([](ProgramBuilder&) {});
  branch.push_back(std::move(quantized));
  Operator fc1 = column_parallel(shape, {.module = "shared_experts_fc1",
                                         .columns = model.fc1_size(ffn) / shape.tp,
                                         .place = GemmPlace::layer_alone});
  Operator activation = mlp_activation(shape, ffn / shape.tp);
  Operator fc2 = row_parallel(
      shape,
      {.module = "shared_experts_fc2", .columns = ffn / shape.tp, .place = GemmPlace::layer_alone});
  activation.module = "shared_experts_activation";
  for (Operator* op : {&fc1, &activation, &fc2}) {
    op->recompute = RecomputeModule::shared_experts;
    op->recomputed_at = RecomputedAt::block_backward;
    for (SavedTensor& tensor : op->saved) tensor.dropped_by = RecomputeModule::shared_experts;
    branch.push_back(std::move(*op));
  }
}

Block moe_block(const RankShape& shape) {
  const RankShape plain(shape.recipe, shape.recipe.precision().high);
  Block block;
  block.branch = branch_of(norm(plain, {.module = "pre_mlp_layernorm",
                                        .share = Share::memory_bound,
                                        .recompute = RecomputeModule::layernorm}));
  add_shared_experts(block.branch, shape);
  for (Operator& op :
       branch_of(router(shape), dispatch(shape), expert_linear(shape, true),
                 expert_activation(shape), expert_linear(shape, false), combine(shape)))
    block.branch.push_back(std::move(op));
  block.residual = residual(shape);
  block.recompute = RecomputeModule::moe;
  return block;
}

}  // namespace

BlockRow moe_block() {
  return {BlockKind::moe, "mixture of experts: each token passes some of them, and shared ones",
          true, moe_block};
}

}  // namespace simtrain
