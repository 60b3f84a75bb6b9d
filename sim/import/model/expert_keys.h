#pragma once

#include <functional>
#include <string>

#include "sim/core/files/data_folder.h"
#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/finding.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// Puts a key into the scenario, as derived unless the user gives it, and returns its value.
using PutKey = std::function<std::string(const std::string& key, const std::function<Finding()>&)>;

/// Puts ETP and the section `moe` of a scenario whose model has experts. A key throws InputError
/// where the recipe asks for what is not simulated. `again_whole`: layers are computed again whole.
void put_experts(const RecipeTerms& terms, bool again_whole, const PutKey& put);

/// Settles what a recipe says of experts once it is read as a whole: without experts it is of no
/// matter and is ignored, with them it is reported where they are not computed together.
void settle_experts(RecipeReading& reading, const RecipeRequest& request, const DataFolder& data);

/// The same of Mamba's sizes, which configurations of any model hold: ignored where no layer has
/// them.
void settle_mamba(RecipeReading& reading, const RecipeRequest& request, const DataFolder& data);

}  // namespace simtrain
