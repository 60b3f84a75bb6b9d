#pragma once

#include <string>
#include <vector>

#include "sim/core/input_error.h"

namespace simtrain {

/// A word of a shell script, its quotes taken off and its variables put in.
struct ShellWord {
  std::string text;
  SourcePlace place;
  bool ends = false;  ///< no word: the command ends here (`;`, `&&`, `|`, a bracket)
};

/// The words of a shell script as far as command lines in it can be read without running it:
/// comments, quotes, continued lines, `NAME=value` and `$NAME`, `${NAME}`, `${NAME:-value}` behind
/// it. A quoted text that holds options is read as the words in it. What only a run knows ($1,
/// $(...), a name that is set nowhere or to several values) stays as it is written.
std::vector<ShellWord> shell_words(const std::string& text, const std::string& file);

}  // namespace simtrain
