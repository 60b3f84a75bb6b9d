#include "sim/run/results/step_fingerprint.h"

#include <vector>

namespace simtrain {
namespace {

void add_rank(Fingerprint& fingerprint, const Timeline& timeline, std::uint32_t rank) {
  for (const Span& span : timeline.spans[rank]) {
    fingerprint.add(static_cast<std::uint64_t>(span.start.count()));
    fingerprint.add(static_cast<std::uint64_t>(span.end.count()));
  }
}

}  // namespace

Fingerprint fingerprint_of(const std::vector<SimulatedPieces>& passes, const Plan& plan,
                           const Timeline& timeline) {
  Fingerprint fingerprint;
  for (const SimulatedPieces& pieces : passes) {
    for (const SimulatedPiece& piece : pieces) {
      if (!piece.timeline.spans.empty()) add_rank(fingerprint, piece.timeline, 0);
    }
  }
  std::vector<bool> seen(plan.programs.size(), false);
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
    const std::uint32_t program = plan.ranks[rank].program;
    if (seen[program]) continue;
    seen[program] = true;
    add_rank(fingerprint, timeline, rank);
  }
  return fingerprint;
}

}  // namespace simtrain
