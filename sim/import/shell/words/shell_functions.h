#pragma once

#include <vector>

#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// The words of a script without the functions that it does not call (`NAME() { ... }`). All of
/// them where it calls none, being one for others to take in, or may call any (`"$@"`).
std::vector<ShellWord> without_uncalled(std::vector<ShellWord> words);

}  // namespace simtrain
