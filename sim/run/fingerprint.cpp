#include "sim/run/fingerprint.h"

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

Fingerprint fingerprint_of(const std::vector<PlayedPiece>& pieces, const Plan& plan,
                           const Timeline& timeline, int stages) {
  Fingerprint fingerprint;
  for (const PlayedPiece& piece : pieces) {
    if (!piece.timeline.spans.empty()) add_rank(fingerprint, piece.timeline, 0);
  }
  std::vector<bool> seen(static_cast<std::size_t>(stages), false);
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
    const auto stage = static_cast<std::size_t>(plan.ranks[rank].stage);
    if (seen[stage]) continue;
    seen[stage] = true;
    add_rank(fingerprint, timeline, rank);
  }
  return fingerprint;
}

}  // namespace simtrain
