#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/import/shell/shell_variables.h"

namespace simtrain {

/// The branches and loops of a script around the word that is read. Behind a block its variables
/// are what all branches that may be taken leave.
class ShellBlocks {
 public:
  enum class Kind { condition, choice, loop, chain };

  /// `variables` are those of the script, which the blocks set back and join.
  explicit ShellBlocks(ShellVariables& variables) : variables_(variables) {}

  [[nodiscard]] std::size_t depth() const { return blocks_.size(); }
  [[nodiscard]] bool in(Kind kind) const;

  /// A block starts; `subject` is what `case` looks at.
  void open(Kind kind, std::string subject = "");
  [[nodiscard]] const std::string& subject() const { return blocks_.back().subject; }

  /// Of the loop that starts, the first of several rounds is read: behind it nobody knows what the
  /// others leave.
  void read_first_round() { blocks_.back().first_round = true; }

  /// The loop that starts has no rounds.
  void pass_over_loop() { blocks_.back().no_rounds = true; }

  /// The branch before, if there is one, is over.
  void next_branch();
  /// Whether the branch that starts here is taken, as far as the script determines it.
  void decide(std::optional<bool> holds);
  /// The script ends in the present branch.
  void leave();
  void close();

  /// Whether what is read may run.
  [[nodiscard]] bool is_live() const;
  /// Whether it does for sure once the blocks up to this depth do.
  [[nodiscard]] bool is_certain(std::size_t depth) const;
  /// Whether only a run knows if it does.
  [[nodiscard]] bool is_undecided() const;

 private:
  struct Block {
    Kind kind;
    std::string subject;
    ShellVariables before;
    std::vector<ShellVariables> ends{};  ///< after each branch that may be taken
    std::optional<bool> holds{};         ///< of the present branch
    bool started = false;                ///< there is a branch
    bool taken = false;                  ///< one before is taken for sure
    bool open = false;                   ///< one before may be taken
    bool leaves = false;                 ///< the present one ends the script
    bool first_round = false;            ///< of a loop: it has more
    bool no_rounds = false;              ///< of a loop
  };
  static bool may_run(const Block& block);

  ShellVariables& variables_;
  std::vector<Block> blocks_;
};

}  // namespace simtrain
