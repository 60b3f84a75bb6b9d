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

/// Whether words before `do` go over the arguments of what they are in: `while [[ $# -gt 0 ]]`,
/// `while getopts ...`, `for x in "$@"`.
bool go_over_arguments(std::span<const ShellWord> words);

/// The words of a function with its parameters put in for `$1`, `${2:-8}`, `$#`, `"$@"` and
/// `"${@:2}"`, those behind a `shift` moved up. What else is asked of one stays as it is written.
/// None where a `shift` is in a branch or loop.
std::optional<std::vector<ShellWord>> with_parameters(const std::vector<ShellWord>& body,
                                                      ShellParameters parameters);

}  // namespace simtrain
