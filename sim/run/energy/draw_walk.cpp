#include "sim/run/energy/draw_walk.h"

#include <algorithm>
#include <numeric>

namespace simtrain {
namespace {

bool moves(const Program& program, const Op& op) {
  return !op.compute && program.transfers[op.cost].wire.value() > 0;
}

}  // namespace

std::vector<Span> moving_spans(const Program& program, const std::vector<Span>& spans) {
  std::vector<Span> moving;
  moving.reserve(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (moves(program, program.ops[i]) && spans[i].end > spans[i].start) moving.push_back(spans[i]);
  }
  std::sort(moving.begin(), moving.end(),
            [](const Span& one, const Span& other) { return one.start < other.start; });
  std::size_t whole = 0;
  for (const Span& next : moving) {
    Span& last = moving[whole];
    if (next.start <= last.end) {
      last.end = std::max(last.end, next.end);
    } else {
      moving[++whole] = next;
    }
  }
  moving.resize(std::min(moving.size(), whole + 1));
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
