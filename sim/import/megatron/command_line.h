#pragma once

#include <span>

#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/shell/shell_script.h"
#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// Adds the options among the words of a command (`--name value`, `--name=value`, `--name`); those
/// that only a run gives or not are added as such.
void add_options(std::span<const ShellWord> words, MegatronArguments& arguments);

/// Takes the variables of a script's environment into a reading (terms/environment.h).
void read_environment(const ShellScript& script, RecipeReading& reading);

/// Reports what a script has and is not read: rounds of its loops, arguments that nothing uses.
void note_unread(const ShellScript& script, RecipeReading& reading);

/// How the script of a request is read: without the files that its overrides leave out.
ScriptRequest script_request(const RecipeRequest& request);

}  // namespace simtrain
