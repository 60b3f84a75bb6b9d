#pragma once

#include <optional>
#include <vector>

#include "sim/import/shell/shell_variables.h"
#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// Whether the test of an `if` holds: its words, without `if` and `then`, variables as they are
/// written. Known are `[`, `[[` and `test` with one comparison of texts or integers, -z, -n, and -f
/// of a file that is there, and chains of them by && or ||. None where only a run knows.
std::optional<bool> condition_holds(const std::vector<ShellWord>& words,
                                    const ShellVariables& variables);

/// Whether a pattern of `case` takes a text, as the shell matches names of files. None for a
/// pattern with variables.
std::optional<bool> pattern_takes(const std::string& pattern, const std::string& text);

}  // namespace simtrain
