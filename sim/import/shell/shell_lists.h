#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/import/shell/shell_variables.h"
#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// The values of a list of words, up to the operator or keyword that ends it: `4,1 2,2`,
/// `"${CONFIGS[@]}"`, `$SIZES`. A value that only a run knows is none.
std::vector<std::optional<std::string>> listed_values(const std::vector<ShellWord>& words,
                                                      std::size_t at,
                                                      const ShellVariables& variables);

/// A command that sets variables to what the script itself gives: `IFS=',' read -r TP PP <<<
/// "$CONFIG"`, `((GBS *= 2))`, `let "GBS = DP * 8"`.
struct ShellRead {
  std::vector<std::string> names;
  std::optional<std::vector<std::string>> values;  ///< of the names; none where only a run knows
  std::size_t end = 0;                             ///< the word behind it
};

/// The one at a word; none where the word starts no such command.
std::optional<ShellRead> read_at(const std::vector<ShellWord>& words, std::size_t at,
                                 const ShellVariables& variables);

}  // namespace simtrain
