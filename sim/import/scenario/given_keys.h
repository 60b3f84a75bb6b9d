#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/import/terms/finding.h"

namespace simtrain {

/// The keys of `--set KEY=VALUE` options. Throws InputError where one is no setting or too deep.
GivenKeys given_keys(const std::vector<std::string>& settings);

/// Whether a key of the scenario is one of the shape of its model.
bool is_shape_key(std::string_view key);

}  // namespace simtrain
