#pragma once

#include <algorithm>
#include <vector>

#include "sim/run/energy/gpu_draw.h"
#include "sim/run/engine/timeline.h"

namespace simtrain {

/// What a GPU does for a while: a compute op of a cost of its program, or none, beside a transfer
/// or not.
struct DrawState {
  std::uint32_t cost = kNoOp;
  bool moving = false;
};

/// When any transfer of a rank's program runs: in order, not touching.
std::vector<Span> moving_spans(const Program& program, const std::vector<Span>& spans);

/// Goes through one run of a program, from 0 to `end`, and hands each stretch of it to `sink`, a
/// function of Span and DrawState, with what the GPU does. Stretches cover the run and do not
/// overlap. Ops of the compute stream run one after another, in the order of the program.
template <class Sink>
void walk_draws(const Program& program, const std::vector<Span>& spans, Duration end, Sink sink) {
  const std::vector<Span> moving = moving_spans(program, spans);
  auto next = moving.begin();
  Duration now{};
  const auto go = [&](Duration until, std::uint32_t cost) {
    while (now < until) {
      while (next != moving.end() && next->end <= now) ++next;
      const bool any = next != moving.end();
      const bool inside = any && next->start <= now;
      const Duration to = std::min(until, !any ? until : inside ? next->end : next->start);
      sink(Span{now, to}, DrawState{cost, inside});
      now = to;
    }
  };
  for (std::size_t op = 0; op < spans.size(); ++op) {
    if (!program.ops[op].compute || program.ops[op].stream != Stream::compute) continue;
    go(spans[op].start, kNoOp);
    go(spans[op].end, program.ops[op].cost);
  }
  go(end, kNoOp);
}

/// What a GPU draws in a state: the op alone, and the transfer on top as far as the limit has room.
ByDrawKind state_watts(const GpuDraw& draw, const ByDrawKind& op_watts, const DrawState& state);

}  // namespace simtrain
