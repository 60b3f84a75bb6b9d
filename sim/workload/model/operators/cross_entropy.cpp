#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

/// How an implementation of the loss treats logits.
struct LossKernel {
  /// Bytes moved for each, forward and backward: the fused kernel reads the logits twice, writes
  /// the gradient over them and scales it; the others pass over FP32 copies several times.
  /// Of these 44 and 52 bytes are counted; what the passes with reductions take longer is in them
  /// too (Liger-Kernel ead96b61, Megatron's kernels on H100). Compiled by Inductor 28 are: to FP32
  /// and back, twice read for the maximum and the sum, read for the gradient and written.
  Streaming moved;
  /// At its worst moment: the logits and what is kept beside them. Transformer Engine's kernel
  /// writes the gradient over the logits; the unfused loss works in place on an FP32 copy; the
  /// jit-fused one holds that copy, its exponentials and the softmax, 4 bytes each. Compiled, what
  /// it makes of the FP32 logits is made again in the backward, which holds them, their gradient
  /// and that in the format of the logits.
  double alive = 0;
  /// What is left until the backward: the softmax, or FP32 logits.
  double saved = 0;
};

LossKernel loss_kernel(CrossEntropy kind, double logit) {
  switch (kind) {
    case CrossEntropy::fused:
      return {{StreamingKind::cross_entropy, 5 * logit}, logit, logit};
    case CrossEntropy::jit:
      return {{StreamingKind::element_wise, 50}, logit + 3 * 4, 4};
    case CrossEntropy::unfused:
      return {{StreamingKind::element_wise, 60}, logit + 4, 4};
    case CrossEntropy::compiled:
      return {{StreamingKind::element_wise, 32}, logit + 2 * 4, 4};
  }
  return {};
}

}  // namespace

Operator cross_entropy(const RankShape& shape) {
  const LossKernel kernel =
      loss_kernel(shape.recipe.software.cross_entropy.value, shape.activation_bytes());
  const std::int64_t tokens = shape.tokens;
  const std::int64_t vocabulary = shape.model().vocab_size / shape.tp;
  const double logits = static_cast<double>(tokens * vocabulary);
  Operator op;
  op.module = "cross_entropy";
  op.forward = [=, tp = shape.tp](ProgramBuilder& builder) {
    builder.stream_bytes(kernel.moved.kind, kernel.moved.bytes * logits, Share::embedding_loss);
    if (tp == 1) return;
    // Maximum, predicted logit and sum of exponentials of each token.
    for (int reduction = 0; reduction < 3; ++reduction) {
      builder.tensor_collective(Collective::all_reduce, kFp32, tokens, builder.last_kernel());
    }
  };
  op.backward = [](ProgramBuilder&, BackwardPart) {};
  op.saved = {{kernel.saved * logits}};
  op.forward_bytes = kernel.alive * logits;
  return op;
}

}  // namespace simtrain
