#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// A function of a script: `NAME() { ... }` or `function NAME { ... }`.
struct ShellFunction {
  std::string name;
  std::vector<ShellWord> body;  ///< between its braces
  std::size_t end = 0;          ///< behind its definition
};

/// The function that is defined at `at`, if one is.
std::optional<ShellFunction> function_at(const std::vector<ShellWord>& words, std::size_t at);

/// Behind the functions that are defined at `at` and next to each other; `at` where none is.
std::size_t behind_functions(const std::vector<ShellWord>& words, std::size_t at);

/// The functions that a script defines, and what it does with them.
class ShellFunctions {
 public:
  /// False where there are more functions than any script to train with has.
  bool define(ShellFunction function);

  /// Notes what words say, those of definitions left out, before they are read. With
  /// `open_arguments` nobody knows what `$1` and `"$@"` are in them: a command may be any function.
  void note(const std::vector<ShellWord>& words, bool open_arguments);

  /// The words of a function that is called from here on; none where there is no such function.
  std::optional<std::vector<ShellWord>> call(std::string_view name);

  /// Notes that a command which does not run would call a function, if it is one.
  void pass_over(std::string_view name);

  /// At the end of a script: the words of the next function that it names but calls nowhere (`trap
  /// f EXIT`, `bash -c f`), or of any one where it calls none, being one for others to take in, or
  /// may call any (`"$@"`).
  std::optional<std::vector<ShellWord>> next_uncalled();

 private:
  using Names = std::set<std::string, std::less<>>;
  struct Defined {
    ShellFunction function;
    Names names;  ///< in its body
    bool read = false;
  };
  [[nodiscard]] Defined* find(std::string_view name);
  [[nodiscard]] bool is_named_by_others(std::string_view name) const;

  std::vector<Defined> functions_;
  Names names_;  ///< in the words that were noted
  bool calls_any_ = false;
  bool called_ = false;
  bool any_ = false;  ///< whichever may be called
};

}  // namespace simtrain
