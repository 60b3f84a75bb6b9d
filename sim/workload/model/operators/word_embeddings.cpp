#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

void stream_embedding_rows(ProgramBuilder& builder, double bytes, std::uint32_t after = kNoOp) {
  builder.stream_bytes(StreamingKind::element_wise, bytes, Share::embedding_loss, after);
}

}  // namespace

/// The gradient is dense: zeroed, scattered into, then added to the gradient buffer, once a
/// micro-batch (Megatron core distributed_data_parallel.py; there is no fused kernel).
Operator word_embeddings(const RankShape& shape) {
  const ModelSpec& model = shape.model();
  const std::int64_t vocabulary = model.vocab_size / shape.tp;
  const TensorFormat& format = shape.recipe.precision().activation;
  const double bytes = format.bytes();
  const std::int64_t elements = shape.tokens * shape.hidden();
  const auto rows = static_cast<double>(elements);
  const double table = static_cast<double>(vocabulary * shape.hidden());
  const auto buffer = static_cast<double>(bytes_of(shape.recipe.optimizer.grad_reduce_dtype));
  const bool sharded = shape.tp > 1 && shape.recipe.parallelism.sequence_parallel;
  Operator op;
  op.module = "word_embeddings";
  op.forward = [=, &format, tp = shape.tp](ProgramBuilder& builder) {
    stream_embedding_rows(builder, 2 * bytes * rows);
    if (tp == 1) return;
    builder.wait_for(
        builder.tensor_collective(sharded ? Collective::reduce_scatter : Collective::all_reduce,
                                  format, elements, builder.last_kernel()));
  };
  op.backward = input_gradient_only([=, &format](ProgramBuilder& builder) {
    const std::uint32_t gathered =
        sharded ? builder.tensor_collective(Collective::all_gather, format, elements, kNoOp)
                : kNoOp;
    stream_embedding_rows(builder, bytes * table + 3 * bytes * rows, gathered);
    stream_embedding_rows(builder, (bytes + 2 * buffer) * table);
  });
  op.weights = {{.rows = vocabulary, .columns = shape.hidden(), .sharded_over = {Axis::tp}}};
  if (model.hidden_dropout > 0) op.saved = {{static_cast<double>(shape.hidden()) * shape.own_rows}};
  return op;
}

}  // namespace simtrain
