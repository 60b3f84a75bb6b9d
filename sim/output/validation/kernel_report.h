#pragma once

#include <string>
#include <vector>

#include "sim/study/fit/kernel_validation.h"

namespace simtrain {

/// By family, GPU, variant and class of shapes: points, mean, median and 90th percentile of the
/// absolute error, bias; then what was not predicted.
std::string kernel_validation_text(const std::vector<KernelComparison>& comparisons);

/// The groups of the same, schema `simtrain.kernel-validation/1`.
std::string kernel_validation_json(const std::vector<KernelComparison>& comparisons);

}  // namespace simtrain
