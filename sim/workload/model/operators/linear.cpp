#include <utility>

#include "sim/workload/model/casts.h"
#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

const TpOverlapEntry* entry_of(const Recipe& recipe, TpOverlapEntry TpOverlapTable::*entry) {
  if (!recipe.tp_overlap || entry == nullptr) return nullptr;
  const TpOverlapEntry& known = *recipe.tp_overlap.*entry;
  return known.method == TpOverlapMethod::none ? nullptr : &known;
}

/// Of an element of the buffer from which a forward's partial sums are scattered.
double scattered_bytes(const RankShape& shape, const TpOverlapEntry* fprop) {
  if (fprop == nullptr) return 0;
  return fprop->method == TpOverlapMethod::ring_exchange ? shape.linear.ring_sums.bytes()
                                                         : shape.activation_bytes();
}

/// What all kinds have in common: weights of `outputs` x `inputs` on the rank.
Operator linear(const RankShape& shape, std::string_view module, std::int64_t outputs,
                std::int64_t inputs) {
  Operator op;
  op.module = module;
  op.weights = {{.rows = outputs,
                 .columns = inputs,
                 .sharded_over = {Axis::tp},
                 .matrix = true,
                 .quantized = shape.linear.quantized()}};
  op.flops.products = 2 * shape.rows * static_cast<double>(outputs) * static_cast<double>(inputs);
  return op;
}

/// What the weights' gradient reads, of the input and the output's gradient that have come: cast
/// along the other axis, or turned. What is still to be waited for.
std::uint32_t ready_operands(ProgramBuilder& builder, const LinearFormats& formats, double inputs,
                             double outputs, std::uint32_t arrived) {
  if (formats.input.recast) {
    builder.wait_for(arrived);
    arrived = kNoOp;
    recast(builder, formats.input, inputs);
    recast(builder, formats.gradient, outputs);
  }
  if (turned(formats.input, builder.gpu())) {
    turn(builder, formats.input, inputs, arrived);
    arrived = kNoOp;
  }
  return arrived;
}

/// Columns of each module that it is.
std::vector<std::int64_t> modules_of(const RankShape& shape, const ColumnParallelSpec& spec) {
  const bool apart = shape.recipe.software.separates_projections() && !spec.separate.empty();
  return apart ? spec.separate : std::vector{spec.columns};
}

/// The gradients of an input that several modules read, added: eager by autograd, two at a time;
/// compiled in the kernel behind, which then reads all of them, or, where a sum over ranks is
/// between, by one of its own.
void add_input_gradients(ProgramBuilder& builder, const RankShape& shape, std::size_t modules,
                         double elements) {
  if (modules == 1) return;
  const auto read = static_cast<double>(modules);
  const bool eager = SoftwareSpec::is_eager(shape.recipe.software.rms_norm);
  const double passes = eager ? 3 * (read - 1) : shape.tp > 1 ? read + 1 : read - 1;
  builder.stream_bytes(StreamingKind::element_wise, passes * shape.activation_bytes() * elements,
                       Share::memory_bound);
}

/// What a column-parallel module of k inputs keeps and holds for a moment.
void add_column_memory(Operator& op, const RankShape& shape, const ColumnParallelSpec& spec,
                       std::int64_t k) {
  const LinearFormats& formats = shape.linear;
  const bool frozen = shape.recipe.lora.has_value();
  const double own = static_cast<double>(k) * shape.own_rows;
  const double gathered = static_cast<double>(k) * shape.rows;
  const double output = static_cast<double>(spec.columns) * shape.rows;
  const double element = shape.activation_bytes();
  const double forward = formats.input.rowwise.bytes();
  const double backward = formats.input.columnwise.bytes();
  if (spec.saves_input && !frozen) op.saved = {{backward * own}};
  if (shape.recipe.software.uses_dtensor() && !frozen)
    op.saved.push_back({backward * (gathered - own)});
  op.forward_bytes = forward * gathered;
  // The gathered input, which the weights' gradient needs, and the input's gradients.
  op.backward_bytes =
      (static_cast<double>(modules_of(shape, spec).size()) + (frozen ? 0 : 1)) * element * gathered;
  if (!frozen) {
    op.deferred_bytes = backward * (spec.place == GemmPlace::head ? own : gathered) +
                        formats.gradient.columnwise.bytes() * output;
  }
  if (spec.place == GemmPlace::layer)
    op.user_buffer_bytes = (forward + (frozen ? 0 : backward + element)) * gathered;
}

}  // namespace

Operator column_parallel(const RankShape& shape, const ColumnParallelSpec& spec) {
  const std::int64_t k = spec.inputs == 0 ? shape.hidden() : spec.inputs;
  const std::int64_t n = spec.columns;
  const bool frozen = shape.recipe.lora.has_value();
  const TpOverlapEntry* dgrad = frozen ? nullptr : entry_of(shape.recipe, spec.dgrad);
  const TpOverlapEntry* wgrad = frozen ? nullptr : entry_of(shape.recipe, spec.wgrad);
  const double gathered = static_cast<double>(k) * shape.rows;
  const double output = static_cast<double>(n) * shape.rows;
  const LinearFormats& formats = shape.linear;
  Operator op = linear(shape, spec.module, n, k);
  if (spec.bias) op.weights.push_back({.rows = n, .sharded_over = {Axis::tp}});
  const TensorFormat* moved =
      spec.gathers_unquantized ? &shape.recipe.precision().activation : nullptr;
  const std::vector<std::int64_t> modules = modules_of(shape, spec);
  op.forward = [=, &formats, place = spec.place](ProgramBuilder& builder) {
    OverlappedGemm(builder, formats, place)
        .gather_then(formats.forward(), formats.input, modules, k, moved);
  };
  if (const std::int64_t again = spec.columns_again; again > 0)
    op.partly_again = {[=, &formats, place = spec.place](ProgramBuilder& builder) {
                         OverlappedGemm(builder, formats, place)
                             .gather_then(formats.forward(), formats.input, {&again, 1}, k);
                       },
                       static_cast<double>(again) / static_cast<double>(n)};
  op.output_bytes = shape.activation_bytes() * output;
  op.backward = [=, &formats, place = spec.place](ProgramBuilder& builder, BackwardPart part) {
    const bool input = part != BackwardPart::weight_gradient;
    const bool weight = !frozen && part != BackwardPart::input_gradient;
    // Of a layer beside the data gradient, to be kept; the head's deferral gathers at the flush.
    const bool gathers = !frozen && (place == GemmPlace::head ? weight : input);
    OverlappedGemm gemm(builder, formats, place);
    if (input) quantize(builder, formats.gradient, output);
    std::uint32_t arrived =
        gathers ? gemm.gather_beside(formats.input.columnwise, k, dgrad) : kNoOp;
    if (input) {
      recast(builder, formats.weight, static_cast<double>(n * k));
      for (const std::int64_t columns : modules) gemm.data_gradient(k, columns, dgrad);
      add_input_gradients(builder, shape, modules.size(), gathered);
    }
    if (weight) arrived = ready_operands(builder, formats, gathered, output, arrived);
    const bool beside = input && !gemm.in_order();
    const std::uint32_t scattered = beside ? gemm.scatter_beside(k, wgrad) : kNoOp;
    for (std::size_t i = 0; weight && i < modules.size(); ++i)
      gemm.weight_gradient(modules[i], k, std::exchange(arrived, kNoOp), wgrad);
    builder.wait_for(input && !beside ? gemm.scatter_after(k) : scattered);
  };
  add_column_memory(op, shape, spec, k);
  return op;
}

Operator quantized_input(const RankShape& shape, std::string_view module) {
  const LinearFormats& formats = shape.linear;
  const double elements = static_cast<double>(shape.hidden()) * shape.own_rows;
  Operator op;
  op.module = module;
  op.forward = [=, &formats](ProgramBuilder& builder) {
    if (!formats.input.recast) quantize_rows(builder, formats.input, elements);
  };
  op.backward = input_gradient_only([](ProgramBuilder&) {});
  return op;
}

Operator row_parallel(const RankShape& shape, const RowParallelSpec& spec) {
  const std::int64_t hidden = shape.hidden();
  const std::int64_t n = spec.columns;
  const double own = static_cast<double>(hidden) * shape.own_rows;
  const double gathered = static_cast<double>(hidden) * shape.rows;
  const double input = static_cast<double>(n) * shape.rows;
  const double weights = static_cast<double>(n) * static_cast<double>(hidden);
  const bool frozen = shape.recipe.lora.has_value();
  const TpOverlapEntry* fprop = entry_of(shape.recipe, spec.fprop);
  const LinearFormats& formats = shape.linear;
  Operator op = linear(shape, spec.module, hidden, n);
  if (spec.bias) op.weights.push_back({.rows = hidden});
  op.forward = [=, &formats, place = spec.place](ProgramBuilder& builder) {
    quantize(builder, formats.input, input);
    builder.wait_for(OverlappedGemm(builder, formats, place).then_scatter(hidden, n, fprop));
  };
  if (spec.again && shape.tp == 1) op.partly_again = {op.forward, 1};
  op.output_bytes = shape.activation_bytes() * own;
  op.backward = [=, &formats, place = spec.place, bias = spec.bias,
                 element = shape.activation_bytes()](ProgramBuilder& builder, BackwardPart part) {
    const Operand& gradient = formats.gradient;
    OverlappedGemm gemm(builder, formats, place);
    if (part != BackwardPart::weight_gradient) {
      recast(builder, formats.weight, weights);
      if (!gradient.recast) quantize_rows(builder, gradient, own);
      gemm.gather_then(formats.input_gradient(), gradient, {&n, 1}, hidden);
      // Summed over tokens where the bias was added, beside the residual.
      if (bias && !frozen)
        builder.stream_bytes(StreamingKind::element_wise, element * own, Share::memory_bound);
    }
    if (frozen || part == BackwardPart::input_gradient) return;
    // What is cast again has arrived for the data gradient.
    const bool again = gradient.apart() && !gradient.recast;
    const std::uint32_t arrived =
        again ? gemm.gather_beside(gradient.columnwise, hidden, nullptr) : kNoOp;
    recast(builder, gradient, gathered);
    recast(builder, formats.input, input);
    if (turned(gradient, builder.gpu())) turn(builder, gradient, gathered);
    gemm.weight_gradient(hidden, n, arrived, nullptr);
  };
  const double backward = formats.input.columnwise.bytes();
  if (spec.saves_input && !frozen) op.saved = {{backward * input}};
  if (!frozen) op.deferred_bytes = formats.gradient.columnwise.bytes() * own + backward * input;
  if (spec.place == GemmPlace::layer) {
    op.user_buffer_bytes =
        (formats.gradient.rowwise.bytes() + scattered_bytes(shape, fprop)) * gathered;
  }
  return op;
}

Operator duplicated_linear(const RankShape& shape, const DuplicatedSpec& spec) {
  const double rows = spec.all_rows ? shape.rows : shape.own_rows;
  const auto tokens = static_cast<std::int64_t>(rows);
  const std::int64_t k = spec.inputs;
  const std::int64_t n = spec.columns;
  const double input = static_cast<double>(k) * rows;
  const double output = static_cast<double>(n) * rows;
  const double element = shape.activation_bytes();
  const DataType type = shape.recipe.precision().activation.type;
  const LinearFormats& formats = shape.linear;
  const auto multiply = [type](ProgramBuilder& builder, const GemmFormats& of, std::int64_t m,
                               std::int64_t columns, std::int64_t depth) {
    builder.kernel(Gemm{.m = m,
                        .n = columns,
                        .k = depth,
                        .type = of.rate,
                        .output = type,
                        .x_bytes = of.left.bytes(),
                        .w_bytes = of.right.bytes()},
                   Share::gemm);
  };
  Operator op = linear(shape, spec.module, n, k);
  op.weights.front().sharded_over = {};
  op.forward = [=, &formats](ProgramBuilder& builder) {
    quantize(builder, formats.input, input);
    multiply(builder, formats.forward(), tokens, n, k);
  };
  op.backward = [=, &formats, joins = spec.joins, detached = spec.detached](ProgramBuilder& builder,
                                                                            BackwardPart part) {
    if (part != BackwardPart::weight_gradient) quantize(builder, formats.gradient, output);
    if (part != BackwardPart::weight_gradient && !detached) {
      recast(builder, formats.weight, static_cast<double>(n) * static_cast<double>(k));
      multiply(builder, formats.input_gradient(), tokens, k, n);
      if (joins)
        builder.stream_bytes(StreamingKind::element_wise, 3 * element * input, Share::memory_bound);
    }
    if (part == BackwardPart::input_gradient) return;
    recast(builder, formats.gradient, output);
    recast(builder, formats.input, input);
    OverlappedGemm(builder, formats, GemmPlace::layer_alone)
        .weight_gradient(n, k, kNoOp, nullptr, tokens);
  };
  op.output_bytes = element * output;
  if (formats.input.columnwise.quantized || spec.saves_input)
    op.saved = {{formats.input.columnwise.bytes() * input}};
  op.backward_bytes = element * (input + output);
  op.deferred_bytes =
      formats.input.columnwise.bytes() * input + formats.gradient.columnwise.bytes() * output;
  return op;
}

}  // namespace simtrain
