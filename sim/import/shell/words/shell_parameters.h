#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// The parameters of a call: the words of each, of which a quoted text with options has several.
using ShellParameters = std::vector<std::vector<ShellWord>>;

/// Those of a call with these arguments. None where only a run knows them: they are those of the
/// script itself (`main "$@"`).
std::optional<ShellParameters> parameters_of(const std::vector<ShellWord>& arguments);

/// What a script is called with.
struct ScriptArguments {
  std::vector<ShellWord> variables;  ///< `NAME=value`, of its environment
  ShellParameters parameters;
};

/// Those of a command line without its command: `MODEL=8B 1 8`. Throws InputError where it holds
/// operators of the shell or `$1`.
ScriptArguments script_arguments(const std::string& line);

/// Whether the words of a script, those of its functions left out, ask for parameters by number.
bool asks_for_parameters(const std::vector<ShellWord>& script);

/// Whether words before `do` go over the arguments of what they are in: `while [[ $# -gt 0 ]]`,
/// `while getopts ...`, `for x in "$@"`.
bool go_over_arguments(std::span<const ShellWord> words);

/// The words of a function with its parameters put in for `$1`, `${2:-8}`, `$#`, `"$@"` and
/// `"${@:2}"`, those behind a `shift` moved up, functions in it as they are. What else is asked of
/// one stays as it is written. None where a `shift` is in a branch or loop.
std::optional<std::vector<ShellWord>> with_parameters(const std::vector<ShellWord>& body,
                                                      ShellParameters parameters);

}  // namespace simtrain
