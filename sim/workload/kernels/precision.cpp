#include "sim/workload/kernels/precision.h"

namespace simtrain {
namespace {

constexpr std::array kRows{
    PrecisionRow{Precision::bf16, "BF16 throughout", DataType::bf16, false, false},
    PrecisionRow{Precision::fp8, "FP8 GEMMs of the layers, one delayed scale a tensor",
                 DataType::fp8, true, true}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].precision) != i) return false;
  }
  return kRows.size() == EnumNames<Precision>::rows.size();
}
static_assert(in_order(), "row_of finds a row by its precision");

}  // namespace

std::span<const PrecisionRow> precision_rows() { return kRows; }

const PrecisionRow& row_of(Precision precision) {
  return kRows[static_cast<std::size_t>(precision)];
}

int operand_copies(const PrecisionRow& precision, const GpuSpec& gpu) {
  if (!precision.quantized) return 0;
  return gpu.gemm.quantized_operands_along_k.value ? 2 : 1;
}

}  // namespace simtrain
