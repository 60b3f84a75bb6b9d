#pragma once

#include <string>
#include <vector>

#include "sim/study/fit/kernel_fit.h"

namespace simtrain {

/// For each fit its parameters, beside those of the file, and the errors on left-out points by
/// class of shapes.
std::string kernel_fit_text(const std::string& gpu, const std::vector<KernelFit>& fits);

/// The same, schema `simtrain.kernel-fit/1`.
std::string kernel_fit_json(const std::string& gpu, const std::vector<KernelFit>& fits);

}  // namespace simtrain
