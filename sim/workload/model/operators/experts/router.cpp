#include "sim/workload/model/operators/experts/expert_operators.h"

namespace simtrain {
namespace {

/// Kernels over the scores of all experts, each of which reads and writes them once: scores, top k,
/// map, counts and auxiliary loss, one by one or fused (Megatron core's moe_router_fusion: two to
/// three of eight to twelve). Alone one more makes probabilities of the scores of all experts,
/// where it does so before the choice.
constexpr int kPassesAlone = 10;
constexpr int kPassesFused = 3;

int passes_over_scores(const RankShape& shape) {
  if (shape.recipe.moe.moe_router_fusion) return kPassesFused;
  const ExpertsSpec& experts = *shape.model().experts;
  const bool all =
      experts.moe_router_score_function != RouterScore::softmax || experts.moe_router_pre_softmax;
  return kPassesAlone + (all ? 1 : 0);
}

}  // namespace

Operator router(const RankShape& shape) {
  const std::int64_t experts = shape.model().experts->num_moe_experts;
  const std::int64_t hidden = shape.hidden();
  const auto tokens = static_cast<std::int64_t>(shape.own_rows);
  const double scores = shape.own_rows * static_cast<double>(experts);
  const double scores_bytes = 2 * kFp32.bytes() * scores;
  const int passes = passes_over_scores(shape);
  const double hidden_bytes =
      shape.activation_bytes() * static_cast<double>(hidden) * shape.own_rows;
  const DataType type = shape.recipe.precision().activation.type;
  const auto weigh = [=](ProgramBuilder& builder) {
    for (int pass = 0; pass < passes; ++pass)
      builder.stream_bytes(StreamingKind::element_wise, scores_bytes, Share::memory_bound);
  };
  Operator op;
  op.module = "router";
  op.forward = [=](ProgramBuilder& builder) {
    builder.kernel(
        Gemm{.m = tokens, .n = experts, .k = hidden, .type = type, .output = DataType::fp32},
        Share::gemm);
    weigh(builder);
  };
  op.backward = input_gradient_only([=](ProgramBuilder& builder) {
    weigh(builder);
    builder.kernel(Gemm{.m = tokens, .n = hidden, .k = experts, .type = type, .output = type},
                   Share::gemm);
    builder.kernel(Gemm{.m = experts,
                        .n = hidden,
                        .k = tokens,
                        .type = type,
                        .output = builder.recipe().optimizer.grad_reduce_dtype,
                        .accumulate = true},
                   Share::gemm);
    // Added to the gradient of the tokens that were dispatched.
    builder.stream_bytes(StreamingKind::element_wise, 3 * hidden_bytes, Share::memory_bound);
  });
  op.weights = {{.rows = experts, .columns = hidden, .matrix = true}};
  if (shape.model().add_bias_linear) op.weights.push_back({.rows = experts});
  op.saved = {{(2 * kFp32.bytes() + 1) * scores}};
  return op;
}

}  // namespace simtrain
