#pragma once

#include <cctype>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  std::size_t quote = 0;   ///< of a quoted text that holds options: which of its file, from 1
  std::size_t call = 0;    ///< of a function, in which it is read: which of the script, from 1
  bool document = false;   ///< a here-document of JSON, whole, behind the words of its command
};

/// Whether the word at `at`, if there is one, is this operator.
inline bool is_operator(const std::vector<ShellWord>& words, std::size_t at,
                        std::string_view text) {
  return at < words.size() && words[at].ends && words[at].text == text;
}

/// Whether a word is a file in YAML, without an option or a key before it.
inline bool is_yaml_file(const ShellWord& word) {
  return (word.text.ends_with(".yaml") || word.text.ends_with(".yml")) &&
         word.text.find('=') == std::string::npos;
}

/// Whether a character may be the first of a variable's name.
inline bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether a character may be in a variable's name.
inline bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether variables that a command sets are those of the function that it is in.
inline bool declares_own(std::string_view command) {
  return command == "local" || command == "declare" || command == "typeset";
}

/// The variable's name at the start of a text; empty where there is none.
std::string_view leading_name(std::string_view text);

/// The name of the variable that a word sets (`NAME=value`); empty where it sets none.
std::string_view set_variable(const ShellWord& word);

/// The words of a shell script, variables as they are written. A quoted text that holds options is
/// split into the words in it; `${...}`, `$(...)` and `` `...` `` stay one piece, as does JSON
/// between `<<END` and `END`. Another such text is words of the script: it may be one itself.
std::vector<ShellWord> split_script(const std::string& text, const std::string& file);

/// The commands that words are, each up to the next that starts one, operators and all.
std::vector<std::span<const ShellWord>> commands_in(const std::vector<ShellWord>& words);

/// Behind the words of a command from `at` on: at an operator or the next command.
std::size_t behind_words(const std::vector<ShellWord>& words, std::size_t at);

/// Where the next command that is `text` starts, a condition's length behind `at` at most; else
/// `at`.
std::size_t find_keyword(const std::vector<ShellWord>& words, std::size_t at,
                         std::string_view text);

/// The text of `((...))` at `at`, without its blanks, and the place behind it; none where it is
/// none.
struct ArithmeticText {
  std::string text;
  std::size_t end = 0;
};
std::optional<ArithmeticText> arithmetic_at(const std::vector<ShellWord>& words, std::size_t at);

/// Adds the words that a word holds: commands that are kept in one variable are one word.
void add_parts(const ShellWord& word, std::vector<ShellWord>& parts);

}  // namespace simtrain
