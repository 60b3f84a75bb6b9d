#include "sim/run/energy/draw_walk.h"

#include <array>
#include <iterator>
#include <numeric>

namespace simtrain {
namespace {

bool moves(const Program& program, const Op& op) {
  return !op.compute && program.transfers[op.cost].wire.value() > 0;
}

bool earlier(const Span& a, const Span& b) { return a.start < b.start; }

}  // namespace

/// Each stream's are in order already.
std::vector<Span> moving_spans(const Program& program, const std::vector<Span>& spans) {
  std::array<std::vector<Span>, kStreams> streams;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (moves(program, program.ops[i]) && spans[i].end > spans[i].start)
      streams[static_cast<std::size_t>(program.ops[i].stream)].push_back(spans[i]);
  }
  std::vector<Span> moving;
  for (const std::vector<Span>& stream : streams) {
    std::vector<Span> both;
    both.reserve(moving.size() + stream.size());
    std::merge(moving.begin(), moving.end(), stream.begin(), stream.end(), std::back_inserter(both),
               earlier);
    moving = std::move(both);
  }
  std::size_t merged = 0;
  for (const Span& span : moving) {
    if (merged > 0 && span.start <= moving[merged - 1].end) {
      moving[merged - 1].end = std::max(moving[merged - 1].end, span.end);
    } else {
      moving[merged++] = span;
    }
  }
  moving.resize(merged);
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
