#include "sim/topology/specs/gpu_spec.h"

#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain {

FlopRate GpuSpec::peak(DataType type) const {
  for (const PeakRate& row : peak_rates) {
    if (row.data_type == type) return row.rate;
  }
  throw InputError(where, "peak_rates", fmt::format("has no row for {}", name_of(type)));
}

const GemmRate& GpuSpec::gemm_rate(DataType type) const {
  for (const GemmRate& row : gemm.rates) {
    if (row.data_type == type) return row;
  }
  throw InputError(where, "gemm.rates", fmt::format("has no row for {}", name_of(type)));
}

}  // namespace simtrain
