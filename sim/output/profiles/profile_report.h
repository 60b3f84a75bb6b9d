#pragma once

#include <string>
#include <vector>

#include "sim/measured/profiles/profile_comparison.h"

namespace simtrain {

/// For people: kernels by kind, predicted and measured in a step; calls of NCCL by kind and size,
/// predicted and logged; kernels of no known kind and lines that were skipped.
std::string profile_text(const std::string& scenario, const std::vector<ProfileReport>& reports);

/// Appends what of a profile could not be read, where there is any.
void add_skipped(std::string& out, const Profile& profile);

/// Schema `simtrain.profile/1`.
std::string profile_json(const std::string& scenario, const std::vector<ProfileReport>& reports);

}  // namespace simtrain
