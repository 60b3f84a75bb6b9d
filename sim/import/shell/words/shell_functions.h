#pragma once

#include <vector>

#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// The words of a script, those of its functions (`NAME() { ... }`) marked. Without `uncalled_too`
/// functions that it does not call are left out, but where it calls none, being one for others to
/// take in, or may call any (`"$@"`).
std::vector<ShellWord> with_functions(std::vector<ShellWord> words, bool uncalled_too);

}  // namespace simtrain
