#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "sim/topology/specs/gpu_spec.h"
#include "sim/workload/parallel/groups.h"

namespace simtrain {

/// The precision of a step, as recipes name it. A new precision is two lines: its name, here and in
/// the names below, and its row in precision.cpp. A GEMM rate that GPU files have no word for yet
/// is a DataType first.
enum class Precision { bf16, fp8, fp8_cs, fp8_mx, fp8_sc, nvfp4, tf32, fp8_rowwise };

template <>
struct EnumNames<Precision> {
  static constexpr std::array rows{
      std::pair{std::string_view("bf16"), Precision::bf16},
      std::pair{std::string_view("fp8"), Precision::fp8},
      std::pair{std::string_view("fp8_cs"), Precision::fp8_cs},
      std::pair{std::string_view("fp8_mx"), Precision::fp8_mx},
      std::pair{std::string_view("fp8_sc"), Precision::fp8_sc},
      std::pair{std::string_view("nvfp4"), Precision::nvfp4},
      std::pair{std::string_view("tf32"), Precision::tf32},
      std::pair{std::string_view("fp8_rowwise"), Precision::fp8_rowwise}};
};

/// How the elements of a tensor are kept, with the scales of those that are quantized. One scale of
/// a whole tensor, alone or above those of blocks, weighs nothing and is not counted.
struct TensorFormat {
  std::string_view name;
  /// What GEMMs put out and collectives count. Formats without a DataType travel as bytes,
  /// which is fp8.
  DataType type{};
  double element_bytes = static_cast<double>(bytes_of(type));  ///< 0.5: two share a byte
  bool quantized = false;      ///< a copy of a tensor in the activation format, made by a cast
  int block = 0;               ///< elements that share a scale; 0: all of a tensor
  double scale_bytes = 0;      ///< of a block's scale
  bool along_k_alone = false;  ///< a GEMM that sums over the other axis needs a copy of its own

  /// Of one element with its part of the scales.
  [[nodiscard]] constexpr double bytes() const {
    return element_bytes + (block > 0 ? scale_bytes / block : 0);
  }
  /// Of so many elements, rounded up.
  [[nodiscard]] std::int64_t bytes_for(std::int64_t elements) const;

  friend constexpr bool operator==(const TensorFormat&, const TensorFormat&) = default;
};

/// Sums and largest values, whatever a step computes in.
inline constexpr TensorFormat kFp32{.name = "fp32", .type = DataType::fp32};

/// When a kernel reads a tensor once more for its largest value, before it is cast: where a scale
/// of the whole tensor follows from the tensor itself. A norm finds that of its output.
enum class AmaxPass { none, except_of_norms, always };

/// A tensor that two GEMMs of a linear module read along different axes, in the words of
/// Transformer Engine.
struct Operand {
  TensorFormat rowwise;  ///< input and weight: forward; gradient: input gradient
  /// Weight: input gradient; input and gradient: weight gradient. As it is kept until then.
  TensorFormat columnwise;
  AmaxPass amax{};
  /// The backward casts the column-wise copy from the one that was kept, whose scales need a pass
  /// over the tensor of their own (torchao); missing: the forward has made it.
  std::optional<TensorFormat> recast{};

  /// Whether scales are those of blocks.
  [[nodiscard]] bool in_blocks() const { return rowwise.block > 0 || columnwise.block > 0; }
  /// Whether no copy can serve both GEMMs, on any GPU, nor be turned into the other one.
  [[nodiscard]] bool apart() const { return rowwise != columnwise || rowwise.along_k_alone; }
  /// What the second GEMM reads.
  [[nodiscard]] const TensorFormat& multiplied_columnwise() const {
    return recast ? *recast : columnwise;
  }
};

/// One GEMM: left operand times right operand, at a rate of the GPU file's `gemm.rates`.
struct GemmFormats {
  DataType rate{};
  const TensorFormat& left;
  const TensorFormat& right;
};

/// Whose rate each GEMM of a linear module draws on.
struct LinearRates {
  DataType forward{};
  DataType input_gradient{};
  DataType weight_gradient{};
};

/// What the GEMMs of linear modules read. Inputs are saved column-wise for the backward; gathers
/// move each operand in the format in which the GEMM behind them reads it. What GEMMs put out is in
/// the activation format, weight gradients in that of the recipe's gradient reduction.
struct LinearFormats {
  Operand input;
  Operand weight;
  Operand gradient;  ///< of the output
  LinearRates rates;
  TensorFormat ring_sums;  ///< partial sums that a ring exchange of user buffers sends
  int rows_multiple = 1;   ///< of each expert's rows in a grouped GEMM, which are padded to it
  /// The same of kernels that multiply, activate and quantize experts at once; missing: there are
  /// none.
  std::optional<int> fused_rows_multiple{};

  [[nodiscard]] GemmFormats forward() const {
    return {rates.forward, input.rowwise, weight.rowwise};
  }
  [[nodiscard]] GemmFormats input_gradient() const {
    return {rates.input_gradient, gradient.rowwise, weight.multiplied_columnwise()};
  }
  [[nodiscard]] GemmFormats weight_gradient() const {
    return {rates.weight_gradient, gradient.multiplied_columnwise(), input.multiplied_columnwise()};
  }
  /// Whether weights are cast before they are multiplied.
  [[nodiscard]] bool quantized() const {
    return weight.rowwise.quantized || weight.multiplied_columnwise().quantized;
  }
};

/// Scales follow from the largest values of earlier passes: once a pass those of all quantized
/// tensors are reduced, and a kernel makes scales of their histories.
struct DelayedScaling {
  GroupKind reduced_over = GroupKind::amax;
  int tensors_of_a_module = 3;  ///< input, weight and gradient
  int history = 1024;           ///< passes
  TensorFormat values = kFp32;
};

/// All that a precision changes in a step. Time, memory, communication and the rate that MFU counts
/// against fold over its row; nobody asks for a precision by name.
struct PrecisionRow {
  Precision precision{};
  std::string_view meaning;  ///< one line
  /// All that is no operand of a linear module: hidden states, queries, keys and values, logits,
  /// their gradients, messages between stages, the table of embeddings, parameters that are kept
  /// unquantized. Casts read it.
  TensorFormat activation;
  LinearFormats layers;
  LinearFormats high;  ///< of the output layer and of layers that the recipe keeps out
  DataType peak{};     ///< whose peak rate MFU counts against
  std::optional<DelayedScaling> delayed_scaling{};
  /// In which quantized parameters are gathered, to be cast after that; missing: as they are kept.
  std::optional<TensorFormat> gathered_parameters{};

  [[nodiscard]] bool quantized() const { return layers.quantized(); }
  /// Whether the optimizer keeps FP32 copies of parameters that are in fewer bits.
  [[nodiscard]] bool keeps_master_weights() const { return activation.bytes() < kFp32.bytes(); }
};

std::span<const PrecisionRow> precision_rows();
const PrecisionRow& row_of(Precision precision);

/// Whether the file of a GPU has all rates that a precision draws on.
bool has_rates(const GpuSpec& gpu, const PrecisionRow& precision);

/// Whether the column-wise copy of a tensor is the row-wise one turned: where the GPU's tensor
/// cores take quantized operands along k alone.
bool turned(const Operand& operand, const GpuSpec& gpu);

/// Bytes an element of the copies that a cast makes at once; 0 where nothing is quantized.
/// `cast_bytes` leaves out one that is turned from the other later, `copied_bytes` has it.
double cast_bytes(const Operand& operand);
double copied_bytes(const Operand& operand, const GpuSpec& gpu);

}  // namespace simtrain
