#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// A command behind tests that runs where they hold, or where they do not: of `TEST && COMMAND`,
/// `TEST || COMMAND` and `TEST && COMMAND || OTHER`, its words from `begin` up to before `end`.
struct ChainedCommand {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool wanted = true;  ///< what the tests have to be
};

/// Tests (`[ ... ]`, `[[ ... ]]`, `test ...`, also several, joined) and the commands behind them.
struct ShellChain {
  std::vector<ShellWord> tests;
  std::vector<ChainedCommand> commands;
};

/// The chain that starts with the command at `at`; none where that is no test, or nothing is behind
/// it. Commands that follow `&&` go along with the one before: that is taken to succeed.
std::optional<ShellChain> chain_at(const std::vector<ShellWord>& words, std::size_t at);

/// Whether a command runs depending on the one before it: behind `&&` or `||`.
bool is_chained(const std::vector<ShellWord>& words, std::size_t at);

}  // namespace simtrain
