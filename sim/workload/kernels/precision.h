#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "sim/topology/specs/gpu_spec.h"

namespace simtrain {

/// In what the GEMMs of a step's layers compute, as recipes name it. Embedding, output layer,
/// attention and norms stay in BF16.
enum class Precision { bf16, fp8 };

template <>
struct EnumNames<Precision> {
  static constexpr std::array rows{std::pair{std::string_view("bf16"), Precision::bf16},
                                   std::pair{std::string_view("fp8"), Precision::fp8}};
};

/// All that a precision changes in a step. Time, memory, communication and the rate that MFU counts
/// against fold over its row; nobody asks for a precision by name.
struct PrecisionRow {
  Precision precision{};
  std::string_view meaning;  ///< one line
  /// Of the layers' GEMMs; saved and gathered GEMM inputs have it too, and the peak rate is its
  /// own.
  DataType operand{};
  /// Operands are copies of BF16 tensors, made by kernels that read 2 bytes an element.
  bool quantized = false;
  /// Delayed scaling: the largest values of all tensors of a pass are reduced over the amax group.
  bool delayed_scaling = false;

  [[nodiscard]] double operand_bytes() const { return static_cast<double>(bytes_of(operand)); }
};

std::span<const PrecisionRow> precision_rows();
const PrecisionRow& row_of(Precision precision);

/// How many copies of a tensor a quantized GEMM wants: a turned one as well where the GPU's tensor
/// cores take operands along k only. 0 where nothing is quantized.
int operand_copies(const PrecisionRow& precision, const GpuSpec& gpu);

}  // namespace simtrain
