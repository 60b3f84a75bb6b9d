#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "sim/workload/kernels/kernel_model.h"

namespace simtrain {

/// The shape of a kernel for people: "1024 x 26624 x 16384" (m, n, k) of a GEMM, "32 heads, 4096 x
/// 2048, d 128" of attention, "48.0 MiB" of a memory-bound kernel.
std::string shape_text(const Kernel& kernel);

/// The same as numbers by name.
nlohmann::ordered_json shape_json(const Kernel& kernel);

}  // namespace simtrain
