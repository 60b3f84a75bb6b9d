#pragma once

#include <string_view>

#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// Whether a key may count for the time or memory of a step.
bool matters_to_maxtext(std::string_view key);

/// A MaxText configuration as its tree, with the defaults of its base.yml. The sizes of its meshes
/// (`ici_*` inside of a node, `dcn_*` over nodes) are made whole by the request's cluster and
/// nodes. Throws InputError where it asks for what is not simulated.
RecipeReading read_maxtext(YamlNode tree, const RecipeRequest& request, const ImportFile& file,
                           const DataFolder& data);

}  // namespace simtrain
