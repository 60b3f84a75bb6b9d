#include "sim/workload/model/operators/adapters.h"

#include <utility>

namespace simtrain {
namespace {

struct AdapterNames {
  LoraModule module{};
  std::string_view down;
  std::string_view up;
};

constexpr std::array kAdapterNames{
    AdapterNames{LoraModule::linear_qkv, "linear_qkv.lora_a", "linear_qkv.lora_b"},
    AdapterNames{LoraModule::linear_proj, "linear_proj.lora_a", "linear_proj.lora_b"},
    AdapterNames{LoraModule::linear_fc1, "linear_fc1.lora_a", "linear_fc1.lora_b"},
    AdapterNames{LoraModule::linear_fc2, "linear_fc2.lora_a", "linear_fc2.lora_b"}};

/// Names of the adapters of a module; nullptr where it is no target.
const AdapterNames* adapters_of(const Recipe& recipe, std::string_view module) {
  const auto names =
      std::find_if(kAdapterNames.begin(), kAdapterNames.end(),
                   [&](const AdapterNames& one) { return name_of(one.module) == module; });
  const bool target =
      recipe.lora && names != kAdapterNames.end() && recipe.lora->targets(names->module);
  return target ? &*names : nullptr;
}

/// Kernels of one adapter over all rows of the TP group.
class AdapterKernels {
 public:
  explicit AdapterKernels(const RankShape& shape)
      : rows_(shape.tokens),
        format_(&shape.recipe.precision().activation),
        formats_(&shape.recipe.precision().high),
        tp_(shape.tp) {}

  void multiply(ProgramBuilder& builder, std::int64_t columns, std::int64_t depth) const {
    builder.kernel(
        Gemm{.m = rows_, .n = columns, .k = depth, .type = format_->type, .output = format_->type},
        Share::gemm);
  }
  void weight_gradient(ProgramBuilder& builder, std::int64_t outputs, std::int64_t inputs) const {
    OverlappedGemm(builder, *formats_, GemmPlace::layer_alone)
        .weight_gradient(outputs, inputs, kNoOp, nullptr);
  }
  /// Reads and writes tensors of so many elements, `moves` times one.
  void stream(ProgramBuilder& builder, double moves, double elements) const {
    builder.stream_bytes(StreamingKind::element_wise, moves * format_->bytes() * elements,
                         Share::memory_bound);
  }
  /// What follows waits for the collective.
  void exchange(ProgramBuilder& builder, Collective kind, std::int64_t columns) const {
    if (const std::uint32_t moved = start(builder, kind, columns); moved != kNoOp)
      builder.wait_for(moved);
  }
  [[nodiscard]] std::uint32_t start(ProgramBuilder& builder, Collective kind,
                                    std::int64_t columns) const {
    if (tp_ == 1) return kNoOp;
    return builder.tensor_collective(kind, *format_, rows_ * columns, builder.last_kernel());
  }

 private:
  std::int64_t rows_;
  const TensorFormat* format_;
  const LinearFormats* formats_;
  int tp_;
};

/// [outputs, inputs] on the rank.
Operator adapter(std::string_view module, std::int64_t outputs, std::int64_t inputs) {
  Operator op;
  op.module = module;
  op.weights = {{.rows = outputs,
                 .columns = inputs,
                 .sharded_over = {Axis::tp},
                 .matrix = true,
                 .adapter = true}};
  return op;
}

/// The backward of an adapter: its input gradient, then its weight gradient beside whatever sums
/// the former over the TP group.
template <class Input, class Weights>
Backward adapter_backward(Input input, Weights weights) {
  return [=](ProgramBuilder& builder, BackwardPart part) {
    const std::uint32_t summed = part == BackwardPart::weight_gradient ? kNoOp : input(builder);
    if (part != BackwardPart::input_gradient) weights(builder);
    if (summed != kNoOp) builder.wait_for(summed);
  };
}

/// A beside a column-parallel module of `inputs` columns. A norm that feeds a quantized module
/// writes what A reads too, and the module's copies are made from that.
Operator column_down(const RankShape& shape, const AdapterNames& names, std::int64_t inputs) {
  const AdapterKernels kernels(shape);
  const std::int64_t rank = shape.recipe.lora->rank;
  const std::int64_t own = rank / shape.tp;
  const double read = static_cast<double>(inputs) * shape.rows;
  const double normed = static_cast<double>(inputs) * shape.own_rows;
  const bool casts = shape.linear.quantized();
  const bool summed = shape.tp > 1 && !shape.recipe.parallelism.sequence_parallel;
  Operator op = adapter(names.down, own, inputs);
  op.forward = [=](ProgramBuilder& builder) {
    if (casts) kernels.stream(builder, 2, normed);
    kernels.multiply(builder, own, inputs);
    kernels.exchange(builder, Collective::all_gather, rank);
  };
  op.backward = adapter_backward(
      [=](ProgramBuilder& builder) {
        kernels.multiply(builder, inputs, own);
        const std::uint32_t sum =
            summed ? kernels.start(builder, Collective::all_reduce, inputs) : kNoOp;
        kernels.stream(builder, 3, read);  // adds the gradients of both ways
        return sum;
      },
      [=](ProgramBuilder& builder) { kernels.weight_gradient(builder, own, inputs); });
  const double element = shape.activation_bytes();
  op.saved = {{element * read}};
  op.output_bytes = element * static_cast<double>(rank) * shape.rows;
  op.backward_bytes = element * read;
  return op;
}

/// B beside a column-parallel module of `outputs` columns on the rank.
Operator column_up(const RankShape& shape, const AdapterNames& names, std::int64_t outputs) {
  const AdapterKernels kernels(shape);
  const std::int64_t rank = shape.recipe.lora->rank;
  const double made = static_cast<double>(outputs) * shape.rows;
  Operator op = adapter(names.up, outputs, rank);
  op.forward = [=](ProgramBuilder& builder) {
    kernels.multiply(builder, outputs, rank);
    kernels.stream(builder, 2, made);  // scales
    kernels.stream(builder, 3, made);  // adds
  };
  op.backward = adapter_backward(
      [=](ProgramBuilder& builder) {
        kernels.stream(builder, 2, made);
        kernels.multiply(builder, rank, outputs);
        return kernels.start(builder, Collective::all_reduce, rank);
      },
      [=](ProgramBuilder& builder) { kernels.weight_gradient(builder, outputs, rank); });
  const double element = shape.activation_bytes();
  op.saved = {{element * static_cast<double>(rank) * shape.rows}};
  op.output_bytes = element * made;
  op.backward_bytes = element * made;
  return op;
}

/// A beside a row-parallel module of `inputs` columns on the rank.
Operator row_down(const RankShape& shape, const AdapterNames& names, std::int64_t inputs,
                  bool saves_input) {
  const AdapterKernels kernels(shape);
  const std::int64_t rank = shape.recipe.lora->rank;
  const double read = static_cast<double>(inputs) * shape.rows;
  Operator op = adapter(names.down, rank, inputs);
  op.forward = [=](ProgramBuilder& builder) {
    kernels.multiply(builder, rank, inputs);
    kernels.exchange(builder, Collective::all_reduce, rank);
  };
  op.backward = adapter_backward(
      [=](ProgramBuilder& builder) {
        kernels.multiply(builder, inputs, rank);
        kernels.stream(builder, 3, read);
        return kNoOp;
      },
      [=](ProgramBuilder& builder) { kernels.weight_gradient(builder, rank, inputs); });
  const double element = shape.activation_bytes();
  if (saves_input) op.saved = {{element * read}};
  op.output_bytes = element * static_cast<double>(rank) * shape.rows;
  op.backward_bytes = element * read;
  return op;
}

/// B beside a row-parallel module, whose output is hidden states: columns of all rows are gathered,
/// of which a rank keeps its rows.
Operator row_up(const RankShape& shape, const AdapterNames& names) {
  const AdapterKernels kernels(shape);
  const std::int64_t rank = shape.recipe.lora->rank;
  const std::int64_t hidden = shape.hidden();
  const std::int64_t columns = hidden / shape.tp;
  const double kept = static_cast<double>(hidden) * shape.own_rows;
  const double made = static_cast<double>(columns) * shape.rows;
  const bool scattered = shape.tp > 1 && shape.recipe.parallelism.sequence_parallel;
  const bool copied = shape.tp > 1;
  Operator op = adapter(names.up, columns, rank);
  op.forward = [=, all = static_cast<double>(hidden) * shape.rows](ProgramBuilder& builder) {
    kernels.multiply(builder, columns, rank);
    kernels.exchange(builder, Collective::all_gather, hidden);
    if (copied) kernels.stream(builder, 2, all);  // parts of ranks side by side
    kernels.stream(builder, 2, kept);
    kernels.stream(builder, 3, kept);
  };
  op.backward = adapter_backward(
      [=](ProgramBuilder& builder) {
        kernels.stream(builder, 2, kept);
        if (scattered) kernels.exchange(builder, Collective::all_gather, hidden);
        if (copied) kernels.stream(builder, 2, made);
        kernels.multiply(builder, rank, columns);
        return kernels.start(builder, Collective::all_reduce, rank);
      },
      [=](ProgramBuilder& builder) { kernels.weight_gradient(builder, columns, rank); });
  const double element = shape.activation_bytes();
  op.saved = {{element * static_cast<double>(rank) * shape.rows}};
  op.output_bytes = element * kept;
  op.backward_bytes = element * made;
  return op;
}

}  // namespace

void add_column_parallel(std::vector<Operator>& branch, const RankShape& shape,
                         ColumnParallelSpec spec) {
  const AdapterNames* names = adapters_of(shape.recipe, spec.module);
  if (names == nullptr) return branch.push_back(column_parallel(shape, spec));
  spec.place = GemmPlace::layer_alone;
  spec.gathers_unquantized = true;
  branch.push_back(column_parallel(shape, spec));
  branch.push_back(column_down(shape, *names, spec.inputs == 0 ? shape.hidden() : spec.inputs));
  branch.push_back(column_up(shape, *names, spec.columns));
}

void add_row_parallel(std::vector<Operator>& branch, const RankShape& shape,
                      const RowParallelSpec& spec) {
  const AdapterNames* names = adapters_of(shape.recipe, spec.module);
  branch.push_back(row_parallel(shape, spec));
  if (names == nullptr) return;
  branch.push_back(row_down(shape, *names, spec.columns, spec.saves_input));
  branch.push_back(row_up(shape, *names));
}

}  // namespace simtrain
