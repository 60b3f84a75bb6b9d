#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// Behind a command at `at` that is text for a reader: `echo ...`, `printf ...`, `cat <<END ...
/// END` or, comments of several lines, `: <<END ... END` and `: '...'`. None where it is another
/// command, or where what it prints goes into a file or another program.
std::optional<std::size_t> behind_text(const std::vector<ShellWord>& words, std::size_t at);

}  // namespace simtrain
