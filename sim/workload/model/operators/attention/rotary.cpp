#include "sim/workload/model/operators/attention/attention_operators.h"

namespace simtrain {
namespace {

/// A kernel of `elements` moved for each token of the rank, forward and backward alike.
Operator moves(const RankShape& shape, double elements) {
  const Forward kernel = [bytes = shape.activation_bytes() * elements *
                                  shape.rows](ProgramBuilder& builder) {
    builder.stream_bytes(StreamingKind::element_wise, bytes, Share::memory_bound);
  };
  Operator op;
  op.module = "rotary";
  op.forward = kernel;
  op.backward = input_gradient_only(kernel);
  return op;
}

}  // namespace

/// Eager, queries and keys are made complex numbers of FP32 (2 + 4 bytes), turned (4 + 4) and made
/// 16 bits again.
Operator rotary(const RankShape& shape) {
  const ModelSpec& model = shape.model();
  const double moved = SoftwareSpec::is_eager(shape.recipe.software.rotary) ? 10 : 2;
  return moves(shape, moved * static_cast<double>(model.query_size() + shape.key_value_size()) /
                          shape.tp * model.rotary_percent);
}

Operator latent_rotary(const RankShape& shape) {
  const LatentAttentionSpec& latent = *shape.model().multi_latent_attention;
  const double heads = static_cast<double>(shape.model().num_attention_heads) / shape.tp;
  const auto turned = static_cast<double>(latent.qk_pos_emb_head_dim);
  const auto read = static_cast<double>(latent.qk_head_dim + latent.v_head_dim);
  Operator op = moves(shape, heads * (2 * turned + 2 * read + turned) + turned);
  op.recompute = RecomputeModule::mla_up_proj;
  op.recomputed_at = RecomputedAt::block_backward;
  return op;
}

Operator output_gate(const RankShape& shape) {
  const double bytes = shape.activation_bytes() * static_cast<double>(shape.model().query_size()) /
                       shape.tp * shape.rows;
  const auto kernel = [=](double moved) {
    return [=](ProgramBuilder& builder) {
      builder.stream_bytes(StreamingKind::element_wise, moved * bytes, Share::memory_bound);
    };
  };
  Operator op;
  op.module = "output_gate";
  op.forward = kernel(3);
  op.backward = input_gradient_only(kernel(5));
  op.saved = {{bytes}};
  op.backward_bytes = bytes;  // the gate's gradient
  return op;
}

Operator query_key_norm(const RankShape& shape) {
  const ModelSpec& model = shape.model();
  const double elements =
      static_cast<double>(model.query_size() + shape.key_value_size()) / shape.tp * shape.rows;
  const double element = shape.activation_bytes();
  const auto kernel = [=](StreamingKind kind, double moved) {
    return [=](ProgramBuilder& builder) {
      builder.stream_bytes(kind, moved * element * elements, Share::memory_bound);
    };
  };
  Operator op;
  op.module = "qk_layernorm";
  op.forward = kernel(StreamingKind::norm_forward, 2);
  op.backward = input_gradient_only(kernel(StreamingKind::norm_backward, 3));
  op.weights = {{.rows = 2 * model.kv_channels}};
  op.saved = {{element * elements}};
  return op;
}

}  // namespace simtrain
