#include <algorithm>

#include "sim/workload/model/operators/operators.h"
#include "sim/workload/model/overlapped_gemm.h"

namespace simtrain {
namespace {

/// A kernel that reads a BF16 tensor and writes quantized copies of it.
void cast(ProgramBuilder& builder, double elements, int copies) {
  if (copies == 0) return;
  const double written = copies * builder.recipe().precision().operand_bytes();
  builder.stream_bytes(StreamingKind::cast, elements * (2 + written), Share::fp8);
}

/// A turned copy of a gathered quantized tensor, for a weight gradient.
void turn(ProgramBuilder& builder, double elements, std::uint32_t after = kNoOp) {
  const double bytes = 2 * builder.recipe().precision().operand_bytes() * elements;
  builder.stream_bytes(StreamingKind::cast, bytes, Share::fp8, after);
}

int copies_of(const ProgramBuilder& builder, bool of_layer) {
  return of_layer ? operand_copies(builder.recipe().precision(), builder.gpu()) : 0;
}

const TpOverlapEntry* entry_of(const Recipe& recipe, TpOverlapEntry TpOverlapTable::*entry) {
  return recipe.tp_overlap && entry != nullptr ? &(*recipe.tp_overlap.*entry) : nullptr;
}

/// What both kinds have in common: h on one side, n on the other.
Operator linear(const RankShape& shape, std::string_view module, std::int64_t columns) {
  const auto n = static_cast<double>(columns);
  const auto hidden = static_cast<double>(shape.hidden());
  Operator op;
  op.module = module;
  op.deferred_bytes = 2 * hidden * shape.own_rows + 2 * n * shape.rows;
  op.flops.products = 2 * shape.rows * n * hidden;
  return op;
}

}  // namespace

Operator column_parallel(const RankShape& shape, const ColumnParallelSpec& spec) {
  const std::int64_t hidden = shape.hidden();
  const std::int64_t n = spec.columns;
  const TpOverlapEntry* dgrad = entry_of(shape.recipe, spec.dgrad);
  const TpOverlapEntry* wgrad = entry_of(shape.recipe, spec.wgrad);
  const double gathered = static_cast<double>(hidden) * shape.rows;
  Operator op = linear(shape, spec.module, n);
  op.weights = {{.rows = n,
                 .columns = hidden,
                 .sharded_over = {Axis::tp},
                 .matrix = true,
                 .quantized = spec.of_layer}};
  op.forward = [=, of_layer = spec.of_layer](ProgramBuilder& builder) {
    OverlappedGemm(builder, of_layer).gather_then(n, hidden);
  };
  op.backward = [=, of_layer = spec.of_layer](ProgramBuilder& builder, BackwardPart part) {
    const bool input = part != BackwardPart::weight_gradient;
    const bool weight = part != BackwardPart::input_gradient;
    const int copies = copies_of(builder, of_layer);
    OverlappedGemm gemm(builder, of_layer);
    if (input) cast(builder, static_cast<double>(n) * gemm.rows(), copies);
    std::uint32_t arrived = weight ? gemm.gather_beside(hidden, dgrad) : kNoOp;
    if (input) gemm.data_gradient(hidden, n, dgrad);
    if (weight && copies > 1) {
      turn(builder, gathered, arrived);
      arrived = kNoOp;
    }
    const std::uint32_t scattered = input ? gemm.scatter_beside(hidden, wgrad) : kNoOp;
    if (weight) gemm.weight_gradient(n, hidden, arrived, wgrad);
    builder.wait_for(scattered);
  };
  const double operand = shape.recipe.precision().operand_bytes();
  if (spec.saves_input) op.saved = {{operand * static_cast<double>(hidden) * shape.own_rows}};
  op.forward_bytes = 2 * gathered;
  op.backward_bytes = 4 * gathered;  // the gathered input and its gradient
  op.user_buffer_bytes = spec.of_layer ? (2 * operand + 2) * gathered : 0;
  return op;
}

Operator row_parallel(const RankShape& shape, const RowParallelSpec& spec) {
  const std::int64_t hidden = shape.hidden();
  const std::int64_t n = spec.columns;
  const double own = static_cast<double>(hidden) * shape.own_rows;
  const double gathered = static_cast<double>(hidden) * shape.rows;
  const double input = static_cast<double>(n) * shape.rows;
  const TpOverlapEntry* fprop = entry_of(shape.recipe, spec.fprop);
  Operator op = linear(shape, spec.module, n);
  op.weights = {{.rows = hidden,
                 .columns = n,
                 .sharded_over = {Axis::tp},
                 .matrix = true,
                 .quantized = true}};
  op.forward = [=](ProgramBuilder& builder) {
    cast(builder, input, copies_of(builder, true));
    builder.wait_for(OverlappedGemm(builder, true).then_scatter(hidden, n, fprop));
  };
  op.backward = [=](ProgramBuilder& builder, BackwardPart part) {
    const int copies = copies_of(builder, true);
    OverlappedGemm gemm(builder, true);
    if (part != BackwardPart::weight_gradient) {
      cast(builder, own, std::min(copies, 1));
      gemm.gather_then(n, hidden);
    }
    if (part == BackwardPart::input_gradient) return;
    if (copies > 1) turn(builder, gathered);
    gemm.weight_gradient(hidden, n, kNoOp, nullptr);
  };
  const double operand = shape.recipe.precision().operand_bytes();
  if (spec.saves_input) op.saved = {{operand * input}};
  const bool sends_operands = fprop != nullptr && fprop->method == TpOverlapMethod::ring_exchange;
  op.user_buffer_bytes = (operand + (fprop == nullptr ? 0
                                     : sends_operands ? operand
                                                      : 2)) *
                         gathered;
  return op;
}

}  // namespace simtrain
