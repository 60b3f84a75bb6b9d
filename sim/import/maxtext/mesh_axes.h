#pragma once

#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// Takes the axes of MaxText's mesh (`ici_fsdp_parallelism`, ...) out of a tree and makes sizes of
/// groups of them. The axis of -1 takes what is left of a node (ici) or of the nodes (dcn). Throws
/// InputError where they do not fill the job, or an axis is not simulated.
void take_mesh_axes(YamlNode& tree, const RecipeRequest& request, const ImportFile& file,
                    const DataFolder& data, RecipeReading& reading);

}  // namespace simtrain
