#pragma once

#include <string>
#include <vector>

#include "sim/measured/profiles/profile.h"

namespace simtrain {

/// What profiles hold, without a prediction: kernels by kind, those that take longest by name, and
/// calls of NCCL by process, kind and size; lines that were skipped.
std::string profile_summary_text(const std::vector<Profile>& profiles);

/// The same as JSON, schema `simtrain.profile/1` without scenario and comparisons, with all kernels
/// and calls.
std::string profile_summary_json(const std::vector<Profile>& profiles);

}  // namespace simtrain
