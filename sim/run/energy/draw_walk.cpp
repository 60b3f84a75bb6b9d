#include "sim/run/energy/draw_walk.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace simtrain {
namespace {

bool moves(const Program& program, const Op& op) {
  return !op.compute && program.transfers[op.cost].wire.value() > 0;
}

bool starts_before(const std::span<const Span>& one, const std::span<const Span>& other) {
  return one.front().start < other.front().start;
}

}  // namespace

std::vector<Span> moving_spans(const Program& program, const std::vector<Span>& spans) {
  std::array<std::vector<Span>, kStreams> streams;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (moves(program, program.ops[i]) && spans[i].end > spans[i].start)
      streams[static_cast<std::size_t>(program.ops[i].stream)].push_back(spans[i]);
  }
  // Each stream's are in order already: the earliest of those that come next is the next of all.
  std::vector<std::span<const Span>> left;
  for (const std::vector<Span>& stream : streams) {
    if (!stream.empty()) left.emplace_back(stream);
  }
  std::vector<Span> moving;
  while (!left.empty()) {
    const auto first = std::min_element(left.begin(), left.end(), starts_before);
    const Span& next = first->front();
    if (!moving.empty() && next.start <= moving.back().end) {
      moving.back().end = std::max(moving.back().end, next.end);
    } else {
      moving.push_back(next);
    }
    *first = first->subspan(1);
    if (first->empty()) left.erase(first);
  }
  return moving;
}

double sum_of(const ByDrawKind& amounts) {
  return std::accumulate(amounts.begin(), amounts.end(), 0.0);
}

ByDrawKind state_watts(const GpuDraw& draw, const ByDrawKind& op_watts, const DrawState& state) {
  ByDrawKind watts = op_watts;
  if (state.cost == kNoOp) {
    watts = {};
    of(watts, state.moving ? DrawKind::communication : DrawKind::idle) =
        state.moving ? draw.communication() : draw.idle();
  } else if (state.moving) {
    of(watts, DrawKind::communication) += draw.communication_beside(sum_of(watts));
  }
  return watts;
}

}  // namespace simtrain
