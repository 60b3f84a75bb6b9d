#include "sim/run/engine/blocked_report.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace simtrain {
namespace {

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

}  // namespace

std::string op_name(const Plan& plan, std::uint32_t rank, std::uint32_t op_index) {
  const SimulatedRank& simulated = plan.ranks[rank];
  const Op& op = plan.programs[simulated.program].ops[op_index];
  return fmt::format("rank {} (stage {}): {} of micro-batch {}, chunk {} (op {})", simulated.rank,
                     simulated.stage, kLabels[static_cast<std::size_t>(op.label)], op.micro_batch,
                     op.chunk, op_index);
}

std::string blocked_report(const Plan& plan, const std::vector<BlockedOp>& blocked,
                           const std::function<bool(std::uint32_t, std::uint32_t)>& ended) {
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
      if (other != kNoOp && !ended(entry.rank, other))
        text += "\n    waits for " + op_name(plan, entry.rank, other);
    }
  }
  if (blocked.size() > kLinesShown)
    text += fmt::format("\n  and {} more", blocked.size() - kLinesShown);
  return text;
}

}  // namespace simtrain
