#include "sim/workload/model/blocks/block.h"

namespace simtrain {
namespace {

/// Embeddings of the next tokens are looked up, normed, and joined to the normed hidden states.
Operator joined_inputs(const RankShape& shape) {
  const ModelSpec& model = shape.model();
  const double elements = static_cast<double>(shape.hidden()) * shape.own_rows;
  const double element = shape.activation_bytes();
  const std::int64_t vocabulary = model.vocab_size / shape.tp;
  const double table = static_cast<double>(vocabulary * shape.hidden());
  const auto buffer = static_cast<double>(bytes_of(shape.recipe.optimizer.grad_reduce_dtype));
  const auto stream = [](ProgramBuilder& builder, StreamingKind kind, double bytes) {
    builder.stream_bytes(kind, bytes, Share::memory_bound);
  };
  Operator op;
  op.module = "mtp_inputs";
  op.forward = [=](ProgramBuilder& builder) {
    stream(builder, StreamingKind::element_wise, 2 * element * elements);
    for (int input = 0; input < 2; ++input)
      stream(builder, StreamingKind::norm_forward, 2 * element * elements);
    stream(builder, StreamingKind::element_wise, 4 * element * elements);
  };
  op.backward = input_gradient_only([=](ProgramBuilder& builder) {
    stream(builder, StreamingKind::element_wise, 4 * element * elements);
    for (int input = 0; input < 2; ++input)
      stream(builder, StreamingKind::norm_backward, 3 * element * elements);
    // The table's gradient is dense, as that of the first stage's.
    stream(builder, StreamingKind::element_wise, element * table + 3 * element * elements);
    stream(builder, StreamingKind::element_wise, (element + 2 * buffer) * table);
  });
  op.weights = {{.rows = 2 * shape.hidden()}};
  // Apart from the embedding the table is kept again, unless the output layer's weights are it.
  if (shape.recipe.ends_apart() && !model.share_embeddings_and_output_weights)
    op.weights.push_back(
        {.rows = vocabulary, .columns = shape.hidden(), .sharded_over = {Axis::tp}});
  op.saved = {{2 * element * elements}};
  return op;
}

/// Every rank of the TP group gets all columns of what eh_proj put out.
Operator gathered_columns(const RankShape& shape) {
  const Forward gather = [rows = shape.tokens * shape.hidden(), tp = shape.tp,
                          &format = shape.recipe.precision().activation](ProgramBuilder& builder) {
    if (tp == 1) return;
    builder.wait_for(
        builder.tensor_collective(Collective::all_gather, format, rows, builder.last_kernel()));
  };
  Operator op;
  op.module = "eh_proj";
  op.forward = gather;
  op.backward = input_gradient_only(gather);
  return op;
}

Block mtp_block(const RankShape& shape) {
  Block block;
  block.branch = branch_of(joined_inputs(shape),
                           column_parallel(shape, {.module = "eh_proj",
                                                   .columns = shape.hidden() / shape.tp,
                                                   .inputs = 2 * shape.hidden(),
                                                   .place = GemmPlace::layer_alone,
                                                   .saves_input = true}),
                           gathered_columns(shape));
  return block;
}

}  // namespace

BlockRow mtp_block() {
  return {BlockKind::mtp, "multi-token prediction: joins hidden states and the next tokens", false,
          mtp_block};
}

}  // namespace simtrain
