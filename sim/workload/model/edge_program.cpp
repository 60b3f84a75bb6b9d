#include "sim/workload/model/layer_program.h"
#include "sim/workload/model/program_builder.h"

namespace simtrain {
namespace {

struct EdgeSizes {
  explicit EdgeSizes(const PieceContext& context)
      : recipe(context.recipe),
        tokens(recipe.tokens()),
        hidden(recipe.model.hidden_size),
        vocabulary(recipe.model.vocab_size / recipe.tp()),
        sharded(recipe.tp() > 1 && recipe.parallelism.sequence_parallel),
        gathered_bytes(tokens * hidden * bytes_of(DataType::bf16)) {}
  const Recipe& recipe;
  std::int64_t tokens;
  std::int64_t hidden;
  std::int64_t vocabulary;  ///< entries of this rank
  bool sharded;
  std::int64_t gathered_bytes;  ///< [M, h] in BF16
};

/// Bytes per logit of the loss, forward and backward: the fused kernel reads the BF16 logits twice,
/// writes the gradient over them and scales it; the others pass over FP32 copies several times. Of
/// these 44 and 52 bytes are counted; what the passes with reductions take longer is in them too
/// (Liger-Kernel ead96b61, Megatron's kernels on H100).
Streaming loss_kernel(CrossEntropy kind, double logits) {
  switch (kind) {
    case CrossEntropy::fused:
      return {StreamingKind::cross_entropy, 10 * logits};
    case CrossEntropy::jit:
      return {StreamingKind::element_wise, 50 * logits};
    case CrossEntropy::unfused:
      return {StreamingKind::element_wise, 60 * logits};
  }
  return {};
}

Gemm weight_gradient_of(const EdgeSizes& sizes) {
  return {sizes.vocabulary,
          sizes.hidden,
          sizes.tokens,
          DataType::bf16,
          sizes.recipe.optimizer.grad_reduce_dtype,
          true};
}

}  // namespace

Program embedding_forward(const PieceContext& context) {
  const EdgeSizes sizes(context);
  ProgramBuilder builder(context);
  builder.module("word_embeddings");
  const double tokens = static_cast<double>(sizes.tokens);
  builder.stream_bytes(StreamingKind::element_wise, 4 * tokens * static_cast<double>(sizes.hidden),
                       Share::embedding_loss);
  if (sizes.recipe.tp() > 1) {
    builder.tensor_collective(sizes.sharded ? Collective::reduce_scatter : Collective::all_reduce,
                              sizes.gathered_bytes, builder.last_kernel());
  }
  return builder.take();
}

/// The embedding's gradient is dense: zeroed, scattered into, then added to the gradient buffer,
/// once a micro-batch (Megatron core distributed_data_parallel.py; there is no fused kernel).
Program embedding_backward(const PieceContext& context) {
  const EdgeSizes sizes(context);
  ProgramBuilder builder(context);
  builder.module("word_embeddings");
  std::uint32_t gathered = kNoOp;
  if (sizes.sharded)
    gathered = builder.tensor_collective(Collective::all_gather, sizes.gathered_bytes, kNoOp);
  const double table = static_cast<double>(sizes.vocabulary * sizes.hidden);
  const auto buffer = static_cast<double>(bytes_of(sizes.recipe.optimizer.grad_reduce_dtype));
  const double rows = static_cast<double>(sizes.tokens * sizes.hidden);
  builder.stream_bytes(StreamingKind::element_wise, 2 * table + 6 * rows, Share::embedding_loss,
                       gathered);
  builder.stream_bytes(StreamingKind::element_wise, (2 + 2 * buffer) * table,
                       Share::embedding_loss);
  return builder.take();
}

Program head_forward(const PieceContext& context) {
  const EdgeSizes sizes(context);
  ProgramBuilder builder(context);
  const double local = static_cast<double>(sizes.tokens) / (sizes.sharded ? sizes.recipe.tp() : 1);
  builder.module("final_layernorm");
  builder.stream_bytes(StreamingKind::norm_forward, 4 * local * static_cast<double>(sizes.hidden),
                       Share::embedding_loss);
  builder.module("output_layer");
  std::uint32_t gathered = kNoOp;
  if (sizes.sharded) {
    gathered = builder.tensor_collective(Collective::all_gather, sizes.gathered_bytes,
                                         builder.last_kernel());
  }
  // The output layer stays in BF16 in FP8 recipes too.
  builder.kernel(
      Gemm{sizes.tokens, sizes.vocabulary, sizes.hidden, DataType::bf16, DataType::bf16, false},
      Share::embedding_loss, gathered);
  builder.module("cross_entropy");
  const double logits = static_cast<double>(sizes.tokens * sizes.vocabulary);
  builder.kernel(loss_kernel(sizes.recipe.software.cross_entropy.value, logits),
                 Share::embedding_loss);
  if (sizes.recipe.tp() > 1) {
    // Maximum, predicted logit and sum of exponentials of each token.
    for (int reduction = 0; reduction < 3; ++reduction) {
      builder.tensor_collective(Collective::all_reduce, sizes.tokens * bytes_of(DataType::fp32),
                                builder.last_kernel(), DataType::fp32);
    }
  }
  return builder.take();
}

Program head_backward(const PieceContext& context, bool with_weight_gradient) {
  const EdgeSizes sizes(context);
  ProgramBuilder builder(context);
  builder.module("output_layer");
  std::uint32_t gathered = kNoOp;
  if (sizes.sharded && with_weight_gradient) {
    gathered = builder.tensor_collective(Collective::all_gather, sizes.gathered_bytes, kNoOp);
  }
  builder.kernel(
      Gemm{sizes.tokens, sizes.hidden, sizes.vocabulary, DataType::bf16, DataType::bf16, false},
      Share::embedding_loss);
  std::uint32_t scattered = kNoOp;
  if (sizes.recipe.tp() > 1) {
    scattered = builder.tensor_collective(
        sizes.sharded ? Collective::reduce_scatter : Collective::all_reduce, sizes.gathered_bytes,
        builder.last_kernel());
  }
  if (with_weight_gradient)
    builder.kernel(weight_gradient_of(sizes), Share::embedding_loss, gathered);
  builder.module("final_layernorm");
  const double local = static_cast<double>(sizes.tokens) / (sizes.sharded ? sizes.recipe.tp() : 1);
  builder.stream_bytes(StreamingKind::norm_backward, 6 * local * static_cast<double>(sizes.hidden),
                       Share::embedding_loss, scattered);
  return builder.take();
}

Program head_weight_gradient(const PieceContext& context) {
  const EdgeSizes sizes(context);
  ProgramBuilder builder(context);
  builder.module("output_layer");
  std::uint32_t gathered = kNoOp;
  if (sizes.sharded)
    gathered = builder.tensor_collective(Collective::all_gather, sizes.gathered_bytes, kNoOp);
  builder.kernel(weight_gradient_of(sizes), Share::embedding_loss, gathered);
  return builder.take();
}

}  // namespace simtrain
