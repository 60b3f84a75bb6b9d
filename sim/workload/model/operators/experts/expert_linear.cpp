#include "sim/workload/model/operators/casts.h"
#include "sim/workload/model/operators/experts/expert_operators.h"
#include "sim/workload/model/operators/operators.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

/// Bytes that the biases of the experts' output take for each element of it, expert by expert in
/// FP32 (Megatron core's TEGroupedMLP, _apply_bias, as remembered): times the router's
/// probabilities (4), added (2 + 4 + 4), the experts joined (4 + 4), cast (4 + 2).
constexpr double kBiasForward = 28;
/// The same back: cast (2 + 4), the rows' gradient cast and joined (4 + 2 + 2 + 2), times the
/// probabilities and summed over rows (4 + 4 + 4), times the bias and summed over columns (4 + 4 +
/// 4).
constexpr double kBiasBackward = 40;

/// The GEMMs of one module, of the experts of the busiest rank and of one with the mean work.
class ExpertGemms {
 public:
  ExpertGemms(const RankShape& shape, const ExpertShape& experts)
      : output_(shape.recipe.precision().activation),
        groups_(static_cast<int>(experts.local)),
        busy_(experts.rows_of_expert(experts.imbalance)),
        mean_(experts.rows_of_expert(1)) {}

  [[nodiscard]] int count() const { return groups_; }

  void multiply(ProgramBuilder& builder, const GemmFormats& formats, std::int64_t n,
                std::int64_t k) const {
    Gemm busy = gemm(formats, busy_, n, k);
    Gemm mean = busy;
    mean.m = mean_;
    builder.uneven_kernel(busy, mean, Share::gemm);
  }

  void weight_gradient(ProgramBuilder& builder, const GemmFormats& formats, std::int64_t m,
                       std::int64_t n) const {
    Gemm busy = gemm(formats, m, n, busy_);
    busy.accumulate = adds_up_gradients(builder.recipe());
    if (busy.accumulate) busy.output = builder.recipe().optimizer.grad_reduce_dtype;
    Gemm mean = busy;
    mean.k = mean_;
    builder.uneven_kernel(busy, mean, Share::gemm);
  }

 private:
  [[nodiscard]] Gemm gemm(const GemmFormats& formats, std::int64_t m, std::int64_t n,
                          std::int64_t k) const {
    return {.m = m,
            .n = n,
            .k = k,
            .type = formats.rate,
            .output = output_.type,
            .x_bytes = formats.left.bytes(),
            .w_bytes = formats.right.bytes(),
            .groups = groups_,
            .launches = groups_};
  }

  const TensorFormat& output_;
  int groups_;
  std::int64_t busy_;
  std::int64_t mean_;
};

void add_biases(ProgramBuilder& builder, double bytes) {
  if (bytes > 0) builder.stream_bytes(StreamingKind::element_wise, bytes, Share::memory_bound);
}

}  // namespace

Operator expert_linear(const RankShape& shape, bool first) {
  const ExpertShape experts(shape);
  const std::int64_t n = first ? shape.model().fc1_size(experts.columns) : experts.columns;
  const std::int64_t from = first ? experts.width : n;
  const std::int64_t to = first ? n : experts.width;
  const LinearFormats& formats = shape.linear;
  const double busy = experts.rows * experts.imbalance;
  const double input = busy * static_cast<double>(from);
  const double output = busy * static_cast<double>(to);
  const double weights = static_cast<double>(experts.local * from * to);
  const ExpertGemms gemms(shape, experts);
  const double biased = !first && shape.model().add_bias_linear ? output : 0;
  Operator op;
  op.module = first ? "experts_fc1" : "experts_fc2";
  op.sized_by_routing = !shape.recipe.moe.sizes_known();
  op.forward = [=, &formats](ProgramBuilder& builder) {
    quantize(builder, formats.input, input, gemms.count());
    gemms.multiply(builder, formats.forward(), to, from);
    add_biases(builder, kBiasForward * biased);
  };
  op.backward = [=, &formats](ProgramBuilder& builder, BackwardPart part) {
    if (part != BackwardPart::weight_gradient) {
      add_biases(builder, kBiasBackward * biased);
      quantize(builder, formats.gradient, output, gemms.count());
      recast(builder, formats.weight, weights, gemms.count());
      gemms.multiply(builder, formats.input_gradient(), from, to);
    }
    if (part == BackwardPart::input_gradient) return;
    recast(builder, formats.gradient, output, gemms.count());
    recast(builder, formats.input, input, gemms.count());
    gemms.weight_gradient(builder, formats.weight_gradient(), to, from);
  };
  op.weights = {{.rows = to,
                 .columns = from,
                 .count = experts.local,
                 .sharded_over = {Axis::etp, Axis::ep},
                 .matrix = true,
                 .quantized = formats.quantized(),
                 .reduced_over = GroupKind::expert_data}};
  if (shape.model().add_bias_linear)
    op.weights.push_back({.rows = to,
                          .count = experts.local,
                          .sharded_over = {Axis::etp, Axis::ep},
                          .reduced_over = GroupKind::expert_data});
  const double saved = formats.input.columnwise.bytes() * input;
  if (first) {
    op.saved = {{saved, {}, OffloadModule::expert_fc1}};
  } else {
    op.saved = {{saved, RecomputeModule::moe_act}};
  }
  op.output_bytes = shape.activation_bytes() * output;
  op.deferred_bytes = saved + formats.gradient.columnwise.bytes() * output;
  op.flops.products = 2 * experts.rows * static_cast<double>(from) * static_cast<double>(to);
  return op;
}

Operator expert_activation(const RankShape& shape) {
  const ExpertShape experts(shape);
  const double element = shape.activation_bytes();
  const auto ffn = static_cast<double>(experts.columns);
  const auto branches = static_cast<double>(shape.model().fc1_size(experts.columns));
  const double busy = experts.rows * experts.imbalance;
  const auto kernel = [&](Direction direction) {
    const double bytes = activation_moves(shape.recipe, direction) * element * ffn;
    return [=, rows = experts.rows](ProgramBuilder& builder) {
      builder.uneven_kernel(Streaming{StreamingKind::element_wise, bytes * busy},
                            Streaming{StreamingKind::element_wise, bytes * rows},
                            Share::memory_bound);
    };
  };
  Operator op;
  op.module = "experts_activation";
  op.sized_by_routing = !shape.recipe.moe.sizes_known();
  op.forward = kernel(Direction::forward);
  op.backward = input_gradient_only(kernel(Direction::backward));
  op.saved = {{element * busy * branches, {}, OffloadModule::moe_act}};
  op.recompute = RecomputeModule::moe_act;
  op.recomputed_at = RecomputedAt::block_backward;
  op.backward_bytes = element * busy * (branches + ffn);
  return op;
}

}  // namespace simtrain
