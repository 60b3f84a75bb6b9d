#pragma once

#include <string>
#include <vector>

#include "sim/core/fingerprint.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// Adds to the fingerprint of a question what files outside of the folder of data hold that its
/// scenario, or a setting, names by path: models and loads of experts.
void add_own_files(Fingerprint& fingerprint, const DataFolder& data, const ScenarioSource& source,
                   const std::string& row, const std::vector<Setting>& settings);

}  // namespace simtrain
