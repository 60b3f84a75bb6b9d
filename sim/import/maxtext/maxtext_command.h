#pragma once

#include <optional>
#include <string>

#include "sim/import/formats/recipe_format.h"
#include "sim/import/shell/shell_script.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// The keys that a script gives MaxText: those of its first command that trains, the configuration
/// that it names as `base_config`, or else all that look like keys. Throws InputError at a key that
/// only a run gives or not.
YamlNode maxtext_tree(const ShellScript& script, const ImportFile& file,
                      const RecipeRequest& request);

/// Takes in the configurations that one starts from (`base_config`), at their paths or beside it.
/// What is not there, and is not MaxText's own base.yml, is returned where the model is named
/// nevertheless or, with `defaults`, by its name. Throws InputError where the model is not known,
/// and where they go in a circle.
std::optional<std::string> take_in_bases(YamlNode& tree, std::string path, bool defaults);

/// Reports what a script has beside the command that is read, and a configuration that is not
/// there.
void note_other_commands(const ShellScript& script, const std::optional<std::string>& missing,
                         RecipeReading& reading);

}  // namespace simtrain
