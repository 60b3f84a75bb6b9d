#pragma once

#include <string>
#include <vector>

#include "sim/output/profiles/profile_report.h"

namespace simtrain {

/// Profiles beside the predicted step as one HTML page without other files: kernels by kind, how
/// much of the step the GPU is busy, calls of NCCL by kind and size. Processes that call alike are
/// shown once.
std::string profile_html(const std::string& scenario, const std::vector<ProfileReport>& reports);

}  // namespace simtrain
