#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/finding.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// The first lines of an imported file.
struct ImportTitle {
  std::string path;    ///< of the recipe
  std::string format;  ///< in words
};

/// Findings as YAML, a key a line, keys of one section together, the origin behind each value.
std::string findings_text(const std::vector<Finding>& findings);

/// A line for each kind of what the recipe asks for and is not simulated.
std::vector<std::string> left_out_notes(const RecipeReading& reading);

/// Findings as a YAML file, the origin behind each value, with what was assumed and what was
/// ignored at the end.
ImportedRecipe imported_text(const ImportTitle& title, const std::vector<Finding>& findings,
                             const RecipeReading& reading);

/// Throws InputError where no key of a recipe is read: it is of another kind than it seems.
void require_taken(const RecipeReading& reading, const ImportFile& file, std::string_view format);

/// The scenario that a reading and a request make, loaded once to see that it can be simulated.
/// Throws InputError where it cannot.
ImportedRecipe imported_scenario(std::string_view format, RecipeReading reading,
                                 const ImportFile& file, const RecipeRequest& request,
                                 const DataFolder& data);

}  // namespace simtrain
