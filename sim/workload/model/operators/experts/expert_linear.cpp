#include "sim/workload/model/casts.h"
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

/// The GEMMs of one module, of the experts of the busiest rank and of one with the mean work: those
/// of all experts at once, or (Megatron core's SequentialMLP) of one expert after the other.
class ExpertGemms {
 public:
  ExpertGemms(const RankShape& shape, const ExpertShape& experts)
      : output_(shape.recipe.precision().activation),
        turns_(shape.recipe.moe.moe_grouped_gemm ? 1 : static_cast<int>(experts.local)),
        groups_(static_cast<int>(experts.local) / turns_),
        launches_(experts.fused ? 1 : groups_),
        busy_(experts.rows_of_expert(experts.imbalance)),
        mean_(experts.rows_of_expert(1)) {}

  [[nodiscard]] int experts() const { return turns_ * groups_; }

  /// What all experts read is cast before, but for none.
  void multiply(ProgramBuilder& builder, const Operand* cast, double elements,
                const GemmFormats& formats, std::int64_t n, std::int64_t k) const {
    Gemm busy = gemm(formats, busy_, n, k);
    Gemm mean = busy;
    mean.m = mean_;
    for (int turn = 0; turn < turns_; ++turn) {
      if (cast != nullptr) quantize(builder, *cast, elements / turns_, launches_);
      builder.uneven_kernel(busy, mean, Share::gemm);
    }
  }

  void weight_gradient(ProgramBuilder& builder, const GemmFormats& formats, std::int64_t m,
                       std::int64_t n) const {
    Gemm busy = gemm(formats, m, n, busy_);
    busy.accumulate = adds_up_gradients(builder.recipe());
    if (busy.accumulate) busy.output = builder.recipe().optimizer.grad_reduce_dtype;
    Gemm mean = busy;
    mean.k = mean_;
    for (int turn = 0; turn < turns_; ++turn) builder.uneven_kernel(busy, mean, Share::gemm);
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
            .launches = launches_};
  }

  const TensorFormat& output_;
  int turns_;
  int groups_;
  int launches_;
  std::int64_t busy_;
  std::int64_t mean_;
};

/// Copies of all rows before and behind the experts: to a multiple and back where no other kernel
/// pads them, and into one tensor where each expert puts out one of its own.
struct RowCopies {
  RowCopies(const RankShape& shape, const ExpertShape& experts) {
    const bool pads = experts.padding == RowPadding::by_copies;
    const bool joins = !shape.recipe.moe.moe_grouped_gemm && experts.local > 1;
    const double moved =
        shape.activation_bytes() * static_cast<double>(experts.width) *
        (experts.rows * experts.imbalance + experts.padded_rows(experts.imbalance));
    before = pads ? moved : 0;
    behind = pads || joins ? moved : 0;
  }
  double before = 0;
  double behind = 0;
};

void stream_expert_rows(ProgramBuilder& builder, double bytes) {
  if (bytes > 0) builder.stream_bytes(StreamingKind::element_wise, bytes, Share::memory_bound);
}

/// Megatron core's TEGroupedMLP multiplies what the activation puts out by the router's
/// probabilities, which are FP32. With bias_activation_fusion one kernel does both of a gated unit;
/// of a squared ReLU it takes use_fused_weighted_squared_relu, and no other function has a kernel.
bool weighs_in_one_kernel(const Recipe& recipe) {
  if (recipe.model.activation == Activation::swiglu) return true;
  return recipe.model.activation == Activation::squared_relu &&
         SoftwareSpec::is_fused(recipe.software.weighted_squared_relu);
}

/// Bytes that each kernel moves for an element put out. Eager: the activation; times the
/// probabilities into FP32 (2 + 4); cast (4 + 2).
std::vector<double> weighted_forward(const RankShape& shape, bool fused) {
  const double element = shape.activation_bytes();
  const double wide = kFp32.bytes();
  if (fused && shape.model().activation == Activation::squared_relu) return {2 * element};
  const double activation = activation_moves(shape.recipe, Direction::forward) * element;
  if (fused) return {activation};
  return {activation, element + wide, wide + element};
}

/// The same back (torch.compile, and autograd of PyTorch, as remembered). Fused, the gradient of a
/// gated unit's two branches side by side has another shape than the sum over columns that the
/// probabilities' gradient is, which another kernel reads all three tensors for; that of a squared
/// ReLU goes with its sum. Eager: the cast (2 + 4); times the probabilities (4 + 4); times what was
/// weighed (4 + 2 + 4), summed over columns (4); cast (4 + 2); the activation.
std::vector<double> weighted_backward(const RankShape& shape, bool fused) {
  const double element = shape.activation_bytes();
  const double wide = kFp32.bytes();
  if (fused && shape.model().activation == Activation::squared_relu) return {3 * element};
  const double activation = activation_moves(shape.recipe, Direction::backward) * element;
  if (fused) return {activation, 3 * element};
  return {element + wide, 2 * wide, element + 2 * wide, wide, wide + element, activation};
}

/// FP32 tensors that the eager backward has at a time: the gradient, and both of its products.
constexpr double kWeighedTensors = 3;

/// A matrix of so many rows and columns for each expert, and its bias.
void add_weights(Operator& op, const RankShape& shape, std::int64_t experts, std::int64_t rows,
                 std::int64_t columns) {
  op.weights = {{.rows = rows,
                 .columns = columns,
                 .count = experts,
                 .sharded_over = {Axis::etp, Axis::ep},
                 .matrix = true,
                 .quantized = shape.linear.quantized(),
                 .reduced_over = GroupKind::expert_data}};
  if (shape.model().add_bias_linear)
    op.weights.push_back({.rows = rows,
                          .count = experts,
                          .sharded_over = {Axis::etp, Axis::ep},
                          .reduced_over = GroupKind::expert_data});
}

}  // namespace

Operator expert_linear(const RankShape& shape, bool first) {
  const ExpertShape experts(shape);
  const std::int64_t n = first ? shape.model().fc1_size(experts.columns) : experts.columns;
  const std::int64_t from = first ? experts.width : n;
  const std::int64_t to = first ? n : experts.width;
  const LinearFormats& formats = shape.linear;
  const double busy = experts.padded_rows(experts.imbalance);
  const double input = busy * static_cast<double>(from);
  const double output = busy * static_cast<double>(to);
  const double weights = static_cast<double>(experts.local * from * to);
  const ExpertGemms gemms(shape, experts);
  const RowCopies copies(shape, experts);
  const double biased = !first && shape.model().add_bias_linear ? output : 0;
  // One kernel with FC1 quantizes what FC2 reads, one with FC2's way back what FC1's way back
  // reads.
  const Operand* input_cast = experts.fused && !first ? nullptr : &formats.input;
  const Operand* gradient_cast = experts.fused && first ? nullptr : &formats.gradient;
  Operator op;
  op.module = first ? "experts_fc1" : "experts_fc2";
  op.sized_by_routing = !shape.recipe.moe.sizes_known();
  op.forward = [=, &formats](ProgramBuilder& builder) {
    if (first) stream_expert_rows(builder, copies.before);
    gemms.multiply(builder, input_cast, input, formats.forward(), to, from);
    stream_expert_rows(builder, kBiasForward * biased);
    if (!first) stream_expert_rows(builder, copies.behind);
  };
  op.backward = [=, &formats](ProgramBuilder& builder, BackwardPart part) {
    if (part != BackwardPart::weight_gradient) {
      if (!first) stream_expert_rows(builder, copies.before);
      stream_expert_rows(builder, kBiasBackward * biased);
      recast(builder, formats.weight, weights, gemms.experts());
      gemms.multiply(builder, gradient_cast, output, formats.input_gradient(), from, to);
      if (first) stream_expert_rows(builder, copies.behind);
    }
    if (part == BackwardPart::input_gradient) return;
    recast(builder, formats.gradient, output, gemms.experts());
    recast(builder, formats.input, input, gemms.experts());
    gemms.weight_gradient(builder, formats.weight_gradient(), to, from);
  };
  add_weights(op, shape, experts.local, to, from);
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
  const double busy = experts.padded_rows(experts.imbalance);
  const double mean = experts.padded_rows(1);
  const int turns = shape.recipe.moe.moe_grouped_gemm ? 1 : static_cast<int>(experts.local);
  const auto kernels = [&](std::vector<double> moved) {
    for (double& bytes : moved) bytes *= ffn / turns;
    return [=](ProgramBuilder& builder) {
      for (int turn = 0; turn < turns; ++turn) {
        for (const double bytes : moved)
          builder.uneven_kernel(Streaming{StreamingKind::element_wise, bytes * busy},
                                Streaming{StreamingKind::element_wise, bytes * mean},
                                Share::memory_bound);
      }
    };
  };
  const bool weighs = weighs_in_one_kernel(shape.recipe);
  Operator op;
  op.module = "experts_activation";
  op.sized_by_routing = !shape.recipe.moe.sizes_known();
  const std::vector<double> in_others{};
  const auto own = [&](Direction direction, const std::vector<double>& weighted) {
    return kernels(experts.fused ? in_others : with_clamp(shape, direction, weighted));
  };
  op.forward = own(Direction::forward, weighted_forward(shape, weighs));
  op.backward = input_gradient_only(own(Direction::backward, weighted_backward(shape, weighs)));
  op.saved = {{element * busy * branches, {}, OffloadModule::moe_act}};
  // A kernel of its own reads the gradient of what was put out; another holds it in registers.
  op.backward_bytes = element * busy * (branches + (experts.fused ? 0 : ffn));
  if (!experts.fused && clamps_apart(shape))
    op.saved.push_back({element * busy * branches, RecomputeModule::moe_act});  // cut off
  if (!weighs) {
    op.saved.push_back({element * busy * ffn, RecomputeModule::moe_act});  // before it is weighed
    op.backward_bytes += kWeighedTensors * kFp32.bytes() * busy * ffn;
  }
  op.recompute = RecomputeModule::moe_act;
  op.recomputed_at = RecomputedAt::block_backward;
  return op;
}

}  // namespace simtrain
