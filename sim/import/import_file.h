#pragma once

#include <string>

#include "sim/import/formats/recipe_format.h"
#include "sim/topology/import/import_format.h"

namespace simtrain {

/// Reads a file that is to be imported. Throws InputError where it is no text.
ImportFile read_import_file(const std::string& path);

/// What a file says of a machine's own node; nullptr where it is no such file.
const ImportFormat* node_format_of(const ImportFile& file);

/// The kind of recipe that a file is. Throws InputError with what would do where it is none.
const RecipeFormat& recipe_format_of(const ImportFile& file);

/// Reads a recipe of that kind. Throws InputError where something is wrong or missing, also where
/// arguments are given for a file that is no script.
ImportedRecipe read_recipe(const RecipeFormat& format, const ImportFile& file,
                           const RecipeRequest& request, const DataFolder& data);

}  // namespace simtrain
