#include "sim/run/engine/loop/blocked_report.h"

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/run/engine/executor.h"

namespace simtrain::execution {
namespace {

/// An op that has not run when nothing is left to happen.
struct BlockedOp {
  std::uint32_t rank;
  std::uint32_t op;
  bool joined;  ///< it waits for the other members of its group; otherwise for ops of its own rank
};

constexpr std::array<std::string_view, 13> kLabels{"kernel",
                                                   "forward",
                                                   "backward",
                                                   "weight gradient",
                                                   "parameter gather",
                                                   "gradient reduction",
                                                   "gradient norm",
                                                   "optimizer",
                                                   "send",
                                                   "receive",
                                                   "collective",
                                                   "input gradient",
                                                   "weight gradient of a cut backward"};
constexpr std::size_t kLinesShown = 10;

/// "rank 3 (stage 1): receive of micro-batch 5, chunk 2".
std::string op_name(const Plan& plan, std::uint32_t rank, std::uint32_t op_index) {
  const SimulatedRank& simulated = plan.ranks[rank];
  const Op& op = plan.programs[simulated.program].ops[op_index];
  return fmt::format("rank {} (stage {}): {} of micro-batch {}, chunk {} (op {})", simulated.rank,
                     simulated.stage, kLabels[static_cast<std::size_t>(op.label)], op.micro_batch,
                     op.chunk, op_index);
}

std::vector<BlockedOp> leftovers(const std::vector<RankState>& ranks) {
  std::vector<BlockedOp> blocked;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const RankState& state = ranks[rank];
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      const bool joined = (state.waiting >> stream & 1U) == 0;
      if (state.next[stream] != kNoOp) blocked.push_back({rank, state.next[stream], joined});
    }
  }
  return blocked;
}

}  // namespace

void refuse_leftovers(const Plan& plan, const std::vector<RankState>& ranks) {
  const std::vector<BlockedOp> blocked = leftovers(ranks);
  if (blocked.empty()) return;
  std::string text = fmt::format("the program can never finish: {} ops wait", blocked.size());
  for (std::size_t i = 0; i < std::min(blocked.size(), kLinesShown); ++i) {
    const BlockedOp& entry = blocked[i];
    const SimulatedRank& rank = plan.ranks[entry.rank];
    const Op& op = plan.programs[rank.program].ops[entry.op];
    text += "\n  " + op_name(plan, entry.rank, entry.op);
    if (entry.joined) {
      const Group& group = plan.groups[rank.groups[static_cast<std::size_t>(op.group)]];
      text += fmt::format(" waits for the {} members of its group", group.members.size());
      continue;
    }
    for (const std::uint32_t other : op.after) {
      if (other != kNoOp && !ranks[entry.rank].has_ended(other))
        text += "\n    waits for " + op_name(plan, entry.rank, other);
    }
  }
  if (blocked.size() > kLinesShown)
    text += fmt::format("\n  and {} more", blocked.size() - kLinesShown);
  throw StuckProgram(text);
}

}  // namespace simtrain::execution
