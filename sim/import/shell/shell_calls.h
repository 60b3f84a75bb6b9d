#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/import/shell/shell_variables.h"

namespace simtrain {

/// The calls of functions that the word that is read is in.
class ShellCalls {
 public:
  /// `variables` are those of the script.
  explicit ShellCalls(ShellVariables& variables) : variables_(variables) {}

  /// A call of so many words starts, at a depth of blocks; false where calls go too deep or are too
  /// many for anything but a loop of calls.
  bool open(std::size_t words, std::size_t depth);
  /// The call is over: variables of its own are what they were before it.
  void close();

  /// Of blocks around the present call; none where there is no call.
  [[nodiscard]] std::optional<std::size_t> depth() const {
    return calls_.empty() ? std::nullopt : std::optional(calls_.back().depth);
  }
  /// Which call a word is in, from 1; 0: in none.
  [[nodiscard]] std::size_t current() const { return calls_.empty() ? 0 : calls_.back().number; }
  /// In which call each of them is.
  [[nodiscard]] const std::vector<std::size_t>& callers() const { return callers_; }

  /// From here on a variable is the call's own.
  void note_own(const std::string& name);

 private:
  struct Call {
    std::size_t number = 0;
    std::size_t depth = 0;
    std::vector<std::pair<std::string, ShellVariables::Kept>> own{};  ///< what they were before
  };

  ShellVariables& variables_;
  std::vector<Call> calls_;
  std::vector<std::size_t> callers_;
  std::size_t words_ = 0;
};

}  // namespace simtrain
