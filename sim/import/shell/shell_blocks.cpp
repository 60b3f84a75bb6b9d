#include "sim/import/shell/shell_blocks.h"

#include <algorithm>
#include <utility>

namespace simtrain {

bool ShellBlocks::in(Kind kind) const { return !blocks_.empty() && blocks_.back().kind == kind; }

void ShellBlocks::open(Kind kind, std::string subject) {
  blocks_.push_back({kind, std::move(subject), variables_});
}

void ShellBlocks::next_branch() {
  Block& block = blocks_.back();
  if (block.started) {
    if (may_run(block) && !block.leaves) block.ends.push_back(variables_);
    if (!block.holds) block.open = true;
    if (block.holds == true) block.taken = true;
    variables_ = block.before;
  }
  block.started = true;
  block.leaves = false;
  block.holds = false;
}

void ShellBlocks::decide(std::optional<bool> holds) { blocks_.back().holds = holds; }

void ShellBlocks::leave() {
  if (!blocks_.empty()) blocks_.back().leaves = true;
}

void ShellBlocks::close() {
  if (blocks_.back().kind != Kind::loop) next_branch();
  const Block block = std::move(blocks_.back());
  blocks_.pop_back();
  std::vector<ShellVariables> ends = block.ends;
  if (block.kind == Kind::loop) ends.push_back(variables_);
  if (!block.taken) ends.push_back(block.before);
  variables_ = ends.empty() ? block.before : ShellVariables::joined(ends);
  if (block.first_round) variables_.forget_changes(block.before);
}

bool ShellBlocks::may_run(const Block& block) {
  if (block.kind == Kind::loop) return !block.no_rounds;
  return !block.taken && block.holds != false;
}

bool ShellBlocks::is_live() const { return std::all_of(blocks_.begin(), blocks_.end(), may_run); }

bool ShellBlocks::is_certain(std::size_t depth) const {
  const auto from = blocks_.begin() + static_cast<std::ptrdiff_t>(std::min(depth, blocks_.size()));
  return std::all_of(from, blocks_.end(), [](const Block& block) {
    return block.kind != Kind::loop && block.holds == true && !block.open && !block.taken;
  });
}

bool ShellBlocks::is_undecided() const {
  return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) {
    return block.kind != Kind::loop && (block.open || !block.holds);
  });
}

}  // namespace simtrain
