#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// The keys of a torchtitan job configuration.
std::span<const KeyRow> titan_keys();

/// PyTorch's name of a schedule of the scenario that torchtitan's sharding runs.
std::optional<std::string_view> titan_schedule(std::string_view name);

/// A torchtitan job configuration as its tree, with torchtitan's defaults. `model.name` and
/// `model.flavor` name its model. Throws InputError where it asks for what is not simulated.
RecipeReading read_torchtitan(YamlNode tree, const RecipeRequest& request, const DataFolder& data);

}  // namespace simtrain
