#include "sim/workload/model/blocks/block.h"
#include "sim/workload/model/operators/experts/expert_operators.h"

namespace simtrain {
namespace {

/// A share of the shared experts for each token, from its hidden states by one column of weights.
Operator shared_expert_gate(const RankShape& shape) {
  const double bytes =
      shape.activation_bytes() * static_cast<double>(shape.hidden()) * shape.own_rows;
  const auto kernel = [=](double moved) {
    return [=](ProgramBuilder& builder) {
      builder.stream_bytes(StreamingKind::element_wise, moved * bytes, Share::memory_bound);
    };
  };
  Operator op;
  op.module = "shared_experts_gate";
  op.forward = kernel(3);  // a product with a vector, and the scaling
  op.backward = input_gradient_only(kernel(6));
  op.weights = {{.rows = shape.hidden()}};
  op.saved = {{bytes}};  // what is scaled
  op.backward_bytes = bytes;
  op.flops.products = 2 * shape.own_rows * static_cast<double>(shape.hidden());
  return op;
}

/// A kernel that adds two tensors of hidden states.
Forward adds_hidden_states(const RankShape& shape) {
  const double bytes =
      3 * shape.activation_bytes() * static_cast<double>(shape.hidden()) * shape.own_rows;
  return [bytes](ProgramBuilder& builder) {
    builder.stream_bytes(StreamingKind::element_wise, bytes, Share::memory_bound);
  };
}

/// What shared experts put out, added to what the others did.
Operator shared_experts_sum(const RankShape& shape) {
  Operator op;
  op.module = "moe_output";
  op.forward = adds_hidden_states(shape);
  op.backward = input_gradient_only([](ProgramBuilder&) {});
  return op;
}

/// Experts that all tokens pass: an MLP before the tokens are dispatched.
void add_shared_experts(std::vector<Operator>& branch, const RankShape& shape) {
  const ModelSpec& model = shape.model();
  const std::int64_t ffn = model.experts->moe_shared_expert_intermediate_size;
  if (ffn == 0) return;
  branch.push_back(quantized_input(shape, "shared_experts_fc1"));
  Operator fc1 = column_parallel(shape, {.module = "shared_experts_fc1",
                                         .columns = model.fc1_size(ffn) / shape.tp,
                                         .place = GemmPlace::layer_alone,
                                         .separate = branches_of(shape, ffn)});
  Operator activation = mlp_activation(shape, ffn / shape.tp);
  Operator fc2 = row_parallel(
      shape,
      {.module = "shared_experts_fc2", .columns = ffn / shape.tp, .place = GemmPlace::layer_alone});
  activation.module = "shared_experts_activation";
  // The gradient of what shared experts and others both took in.
  fc1.backward = [own = fc1.backward, join = adds_hidden_states(shape)](ProgramBuilder& builder,
                                                                        BackwardPart part) {
    own(builder, part);
    if (part != BackwardPart::weight_gradient) join(builder);
  };
  for (Operator* op : {&fc1, &activation, &fc2}) {
    op->recompute = RecomputeModule::shared_experts;
    op->recomputed_at = RecomputedAt::block_backward;
    for (SavedTensor& tensor : op->saved) tensor.dropped_by = RecomputeModule::shared_experts;
    branch.push_back(std::move(*op));
  }
  if (model.experts->moe_shared_expert_gate) branch.push_back(shared_expert_gate(shape));
}

/// Experts that each token chooses some of, of hidden states or of a latent made from them.
void add_routed_experts(std::vector<Operator>& branch, const RankShape& shape) {
  const std::optional<std::int64_t>& latent = shape.model().experts->moe_latent_size;
  const auto project = [&](const DuplicatedSpec& spec) {
    if (latent) branch.push_back(duplicated_linear(shape, spec));
  };
  branch.push_back(router(shape));
  project({.module = "fc1_latent_proj", .inputs = shape.hidden(), .columns = latent.value_or(0)});
  add_operators(branch, dispatch(shape), expert_linear(shape, true), expert_activation(shape),
                expert_linear(shape, false), combine(shape));
  project({.module = "fc2_latent_proj",
           .inputs = latent.value_or(0),
           .columns = shape.hidden(),
           .saves_input = true});
}

Block moe_block(const RankShape& shape) {
  const RankShape plain(shape.recipe, shape.recipe.precision().high);
  Block block;
  block.branch = branch_of(norm(plain, {.module = "pre_mlp_layernorm",
                                        .share = Share::memory_bound,
                                        .recompute = RecomputeModule::layernorm,
                                        .input = OffloadModule::mlp_norm}));
  add_shared_experts(block.branch, shape);
  add_routed_experts(block.branch, shape);
  if (shape.model().experts->moe_shared_expert_intermediate_size > 0)
    block.branch.push_back(shared_experts_sum(shape));
  block.residual = residual(shape);
  block.recompute = RecomputeModule::moe;
  return block;
}

}  // namespace

BlockRow moe_block() {
  return {.kind = BlockKind::moe,
          .meaning = "mixture of experts: each token passes some of them, and shared ones",
          .make = moe_block,
          .letter = 'E',
          .packs_documents = true};
}

}  // namespace simtrain
