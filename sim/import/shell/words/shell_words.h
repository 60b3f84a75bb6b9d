#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <vector>

#include "sim/core/input/input_error.h"

namespace simtrain {

/// A word of a shell script, its quotes taken off.
struct ShellWord {
  std::string text;
  SourcePlace place;
  bool ends = false;  ///< no word, but the operator that ends a command (`;`, `&`, `|`, a bracket)
  bool starts = false;     ///< the first of a command
  bool undecided = false;  ///< in a branch that only a run takes or not
  std::size_t quote = 0;   ///< of a quoted text that holds options: which, from 1
};

/// Whether a character may be the first of a variable's name.
inline bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether a character may be in a variable's name.
inline bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The words of a shell script, variables as they are written. A quoted text that holds options is
/// split into the words in it; `${...}`, `$(...)` and `` `...` `` stay one piece.
std::vector<ShellWord> split_script(const std::string& text, const std::string& file);

/// Adds the words that a word holds: commands that are kept in one variable are one word.
void add_parts(const ShellWord& word, std::vector<ShellWord>& parts);

}  // namespace simtrain
