#pragma once

#include <string>
#include <vector>

#include "sim/import/plan/recipe_export.h"

namespace simtrain {

/// What of a scenario's plan is not in its export, a sentence each.
std::vector<std::string> left_out(const ExportTarget& target, const ExportedRecipe& recipe,
                                  const Scenario& scenario, const DataFolder& data);

}  // namespace simtrain
