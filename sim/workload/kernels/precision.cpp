#include "sim/workload/kernels/precision.h"

#include <algorithm>
#include <cmath>

namespace simtrain {
namespace {

constexpr TensorFormat kBf16{.name = "bf16", .type = DataType::bf16};
constexpr TensorFormat kE4m3{.name = "e4m3", .type = DataType::fp8, .quantized = true};
constexpr TensorFormat kE5m2{.name = "e5m2", .type = DataType::fp8, .quantized = true};

constexpr Operand both(const TensorFormat& format) { return {format, format}; }

constexpr LinearRates all(DataType type) { return {type, type, type}; }

constexpr LinearFormats kBf16Linear{.input = both(kBf16),
                                    .weight = both(kBf16),
                                    .gradient = both(kBf16),
                                    .rates = all(DataType::bf16),
                                    .ring_sums = kBf16};

/// Gradients have more exponent: Transformer Engine's hybrid format.
constexpr LinearFormats kHybridFp8Linear{.input = both(kE4m3),
                                         .weight = both(kE4m3),
                                         .gradient = both(kE5m2),
                                         .rates = all(DataType::fp8),
                                         .ring_sums = kE4m3};

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
                 .delayed_scaling = DelayedScaling{}}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kPrecisionRows.size(); ++i) {
    if (static_cast<std::size_t>(kPrecisionRows[i].precision) != i) return false;
  }
  return kPrecisionRows.size() == EnumNames<Precision>::rows.size();
}
static_assert(in_order(), "row_of finds a row by its precision");

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
