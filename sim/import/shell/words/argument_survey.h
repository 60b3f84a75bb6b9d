#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/import/shell/words/shell_arguments.h"

namespace simtrain {

/// `NAME=value` or `NAME+=value` in a word: where its value starts.
struct AssignedWord {
  std::string_view name;
  bool appends = false;
  std::size_t value = 0;
};
std::optional<AssignedWord> assigned_by(const ReadWord& word);

/// `NAME=(...)` or `NAME="--a 1"`: the place of its words.
struct ArgumentDefinition {
  std::string name;
  bool appends = false;
  bool exported = false;
  bool list = false;
  std::size_t begin = 0;
  std::size_t end = 0;   ///< of the words
  std::size_t next = 0;  ///< behind it all
};
std::optional<ArgumentDefinition> definition_at(const std::vector<ReadWord>& words, std::size_t at);

/// Whether the word at `next` is of the command before it: `NAME=value program` sets it for that
/// alone.
bool sets_for_program(const std::vector<ReadWord>& words, std::size_t next);

/// Whether a text is an option or a key with its value, or starts with one.
bool are_arguments(std::string_view text);

/// A variable that a word names from its `$` at `at` on: all of it, if the word is nothing else, or
/// a part.
struct VariableUse {
  std::string name;
  bool items = false;  ///< all of it, each value a word: `${NAME[@]}`
  bool whole = false;  ///< all of it where it is a text: `$NAME`
};
VariableUse use_at(std::string_view word, std::size_t at);

/// What a script does with the variables that hold arguments.
struct ArgumentSurvey {
  using Names = std::set<std::string, std::less<>>;

  Names lists;
  Names texts;
  Names used;    ///< by a command or by others of them
  Names apart;   ///< exported, or used in part
  Names looped;  ///< what loops go over
  bool by_commands = false;

  [[nodiscard]] bool defines(std::string_view name) const {
    return lists.contains(name) || texts.contains(name);
  }
};

/// `looped`: words that loops go over.
ArgumentSurvey survey_of(const std::vector<ReadWord>& words,
                         const std::vector<std::string>& looped);

}  // namespace simtrain
