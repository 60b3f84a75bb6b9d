#include "sim/workload/kernels/precision.h"

#include <algorithm>
#include <cmath>

#include "sim/core/rows_in_order.h"

namespace simtrain {
namespace {

constexpr TensorFormat kBf16{.name = "bf16", .type = DataType::bf16};
constexpr TensorFormat kE4m3{.name = "e4m3", .type = DataType::fp8, .quantized = true};
constexpr TensorFormat kE5m2{.name = "e5m2", .type = DataType::fp8, .quantized = true};

constexpr TensorFormat kMxfp8{.name = "mxfp8",
                              .type = DataType::fp8,
                              .quantized = true,
                              .block = 32,
                              .scale_bytes = 1,
                              .along_k_alone = true};
/// Scales are FP32: one for 128 elements of a row, or for 128 x 128 of a weight.
constexpr TensorFormat kRow128{.name = "e4m3/128",
                               .type = DataType::fp8,
                               .quantized = true,
                               .block = 128,
                               .scale_bytes = 4,
                               .along_k_alone = true};
constexpr TensorFormat kSquare128{.name = "e4m3/128x128",
                                  .type = DataType::fp8,
                                  .quantized = true,
                                  .block = 128 * 128,
                                  .scale_bytes = 4,
                                  .along_k_alone = true};
/// Below the scales of blocks lies one of the whole tensor.
constexpr TensorFormat kNvfp4{.name = "nvfp4",
                              .type = DataType::fp8,
                              .element_bytes = 0.5,
                              .quantized = true,
                              .block = 16,
                              .scale_bytes = 1,
                              .along_k_alone = true};

/// FP32 tensors: what tensor cores read of them is cut off on the way.
constexpr TensorFormat kTf32{.name = "fp32", .type = DataType::tf32};
/// FP32 scales of rows of thousands of elements weigh nothing.
constexpr TensorFormat kRowE4m3{
    .name = "e4m3/row", .type = DataType::fp8, .quantized = true, .along_k_alone = true};

constexpr Operand both(const TensorFormat& format, AmaxPass amax = AmaxPass::none) {
  return {format, format, amax};
}

constexpr LinearRates all(DataType type) { return {type, type, type}; }

// Multiples of rows: Megatron core's get_align_size_for_quantization (NVFP4: Transformer Engine
// since it has kernels for the Hadamard transform of groups; 16 before).

constexpr LinearFormats kBf16Linear{.input = both(kBf16),
                                    .weight = both(kBf16),
                                    .gradient = both(kBf16),
                                    .rates = all(DataType::bf16),
                                    .ring_sums = kBf16};

constexpr LinearFormats kTf32Linear{.input = both(kTf32),
                                    .weight = both(kTf32),
                                    .gradient = both(kTf32),
                                    .rates = all(DataType::tf32),
                                    .ring_sums = kTf32};

/// Gradients have more exponent: Transformer Engine's hybrid format.
constexpr LinearFormats kHybridFp8Linear{.input = both(kE4m3),
                                         .weight = both(kE4m3),
                                         .gradient = both(kE5m2),
                                         .rates = all(DataType::fp8),
                                         .ring_sums = kE4m3,
                                         .rows_multiple = 16};

constexpr LinearFormats kCurrentFp8Linear{.input = both(kE4m3, AmaxPass::except_of_norms),
                                          .weight = both(kE4m3, AmaxPass::always),
                                          .gradient = both(kE5m2, AmaxPass::always),
                                          .rates = all(DataType::fp8),
                                          .ring_sums = kBf16,
                                          .rows_multiple = 16};

constexpr LinearFormats kMxfp8Linear{.input = both(kMxfp8),
                                     .weight = both(kMxfp8),
                                     .gradient = both(kMxfp8),
                                     .rates = all(DataType::mxfp8),
                                     .ring_sums = kBf16,
                                     .rows_multiple = 32,
                                     .fused_rows_multiple = 256};

constexpr LinearFormats kBlockFp8Linear{.input = both(kRow128),
                                        .weight = both(kSquare128),
                                        .gradient = both(kRow128),
                                        .rates = all(DataType::fp8_block),
                                        .ring_sums = kBf16,
                                        .rows_multiple = 16};

/// torchao's `rowwise` recipe (float8_linear.py): the kernel that casts a row has its largest value
/// at hand; along the other axis each tensor is cast again in the backward from what was kept in
/// BF16. Scales are powers of two in the epilogue: the GEMM is that of one scale a tensor.
constexpr Operand kTorchaoRows{kRowE4m3, kBf16, AmaxPass::none, kRowE4m3};
constexpr LinearFormats kRowwiseFp8Linear{.input = kTorchaoRows,
                                          .weight = kTorchaoRows,
                                          .gradient = kTorchaoRows,
                                          .rates = all(DataType::fp8),
                                          .ring_sums = kBf16};

/// Column-wise copies of inputs and gradients are of the tensor after a random Hadamard transform,
/// whose largest value no norm finds.
constexpr LinearFormats kNvfp4Linear{.input = both(kNvfp4, AmaxPass::always),
                                     .weight = both(kNvfp4, AmaxPass::always),
                                     .gradient = both(kNvfp4, AmaxPass::always),
                                     .rates = all(DataType::nvfp4),
                                     .ring_sums = kBf16,
                                     .rows_multiple = 128};

constexpr std::array kPrecisionRows{
    PrecisionRow{.precision = Precision::bf16,
                 .meaning = "BF16 throughout",
                 .activation = kBf16,
                 .layers = kBf16Linear,
                 .high = kBf16Linear,
                 .peak = DataType::bf16},
    PrecisionRow{.precision = Precision::fp8,
                 .meaning = "FP8 GEMMs of the layers, one delayed scale a tensor",
                 .activation = kBf16,
                 .layers = kHybridFp8Linear,
                 .high = kBf16Linear,
                 .peak = DataType::fp8,
                 .delayed_scaling = DelayedScaling{}},
    PrecisionRow{.precision = Precision::fp8_cs,
                 .meaning = "FP8 GEMMs of the layers, one scale a tensor from its own amax",
                 .activation = kBf16,
                 .layers = kCurrentFp8Linear,
                 .high = kBf16Linear,
                 .peak = DataType::fp8},
    PrecisionRow{.precision = Precision::fp8_mx,
                 .meaning = "MXFP8 GEMMs of the layers, a scale for 32 elements",
                 .activation = kBf16,
                 .layers = kMxfp8Linear,
                 .high = kBf16Linear,
                 .peak = DataType::fp8,
                 .gathered_parameters = kBf16},
    PrecisionRow{.precision = Precision::fp8_sc,
                 .meaning = "FP8 GEMMs of the layers, a scale for 128 elements",
                 .activation = kBf16,
                 .layers = kBlockFp8Linear,
                 .high = kBf16Linear,
                 .peak = DataType::fp8},
    PrecisionRow{.precision = Precision::nvfp4,
                 .meaning = "NVFP4 GEMMs of the layers, a scale for 16 elements and one a tensor",
                 .activation = kBf16,
                 .layers = kNvfp4Linear,
                 .high = kBf16Linear,
                 .peak = DataType::nvfp4},
    PrecisionRow{.precision = Precision::tf32,
                 .meaning = "FP32 tensors, multiplied by tensor cores in TF32; no master copies",
                 .activation = kTf32,
                 .layers = kTf32Linear,
                 .high = kTf32Linear,
                 .peak = DataType::tf32},
    PrecisionRow{.precision = Precision::fp8_rowwise,
                 .meaning = "FP8 GEMMs of the layers, a scale a row, kept in BF16 (torchao)",
                 .activation = kBf16,
                 .layers = kRowwiseFp8Linear,
                 .high = kBf16Linear,
                 .peak = DataType::fp8}};

static_assert(rows_in_order(kPrecisionRows, &PrecisionRow::precision) &&
                  kPrecisionRows.size() == EnumNames<Precision>::rows.size(),
              "row_of finds a row by its precision");

double if_quantized(const TensorFormat& format) { return format.quantized ? format.bytes() : 0; }

}  // namespace

std::int64_t TensorFormat::bytes_for(std::int64_t elements) const {
  return std::llround(std::ceil(static_cast<double>(elements) * bytes()));
}

std::span<const PrecisionRow> precision_rows() { return kPrecisionRows; }

const PrecisionRow& row_of(Precision precision) {
  return kPrecisionRows[static_cast<std::size_t>(precision)];
}

bool has_rates(const GpuSpec& gpu, const PrecisionRow& precision) {
  const auto has = [](const auto& rows, DataType type) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const auto& row) { return row.data_type == type; });
  };
  const auto has_all = [&](const LinearRates& rates) {
    return has(gpu.gemm.rates, rates.forward) && has(gpu.gemm.rates, rates.input_gradient) &&
           has(gpu.gemm.rates, rates.weight_gradient);
  };
  return has(gpu.peak_rates, precision.peak) && has_all(precision.layers.rates) &&
         has_all(precision.high.rates);
}

bool turned(const Operand& operand, const GpuSpec& gpu) {
  return operand.columnwise.quantized && !operand.apart() &&
         gpu.gemm.quantized_operands_along_k.value;
}

double cast_bytes(const Operand& operand) {
  return if_quantized(operand.rowwise) + (operand.apart() ? if_quantized(operand.columnwise) : 0);
}

double copied_bytes(const Operand& operand, const GpuSpec& gpu) {
  return cast_bytes(operand) + (turned(operand, gpu) ? operand.columnwise.bytes() : 0);
}

}  // namespace simtrain
