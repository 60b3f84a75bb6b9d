#pragma once

#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/finding.h"
#include "sim/import/terms/key_table.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// The keys of a scenario that a recipe's reading and the request make, in the order of a scenario
/// file. A key that the user gives with `--set` is not looked for in the recipe. Throws InputError
/// where something is given nowhere, with the option that sets it, and where the recipe asks for
/// what is not simulated.
std::vector<Finding> scenario_keys(const RecipeReading& reading, const ImportFile& file,
                                   const RecipeRequest& request, const DataFolder& data);

}  // namespace simtrain
