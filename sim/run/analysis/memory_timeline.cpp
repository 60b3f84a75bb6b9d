#include "sim/run/analysis/memory_timeline.h"

#include <algorithm>

namespace simtrain {
namespace {

/// More (or less) from a time on.
struct Change {
  Duration time{};
  double bytes = 0;
};

/// The ops of one pass: a pass is several ops where transfers wait for parts of it.
struct SimulatedPass {
  Op op;
  Span span;
};

std::vector<SimulatedPass> simulated_passes(const Program& program,
                                            const std::vector<Span>& spans) {
  std::vector<SimulatedPass> passes;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (!op.compute || !is_pass(op)) continue;
    if (!passes.empty() && same_pass(passes.back().op, op)) {
      passes.back().span.end = spans[i].end;
    } else {
      passes.push_back({op, spans[i]});
    }
  }
  return passes;
}

/// When the deferred weight gradients of a rank are done.
Duration deferred_end(const Program& program, const std::vector<Span>& spans) {
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    if (program.ops[i].label == Label::weight_gradient) return spans[i].end;
  }
  return {};
}

std::vector<Change> changes_of(const Recipe& recipe, const PassMemory& memory,
                               const Program& program, const std::vector<Span>& spans) {
  std::vector<Change> changes;
  const auto hold = [&](Span span, double bytes) {
    if (bytes == 0) return;
    changes.push_back({span.start, bytes});
    changes.push_back({span.end, -bytes});
  };
  const Duration flushed = deferred_end(program, spans);
  for (const SimulatedPass& pass : simulated_passes(program, spans)) {
    const double activations = memory.activations[pass.op.chunk];
    const double inputs = memory.for_weight_gradients[pass.op.chunk];
    const bool head = memory.head(pass.op.chunk);
    const bool cut = pass.op.label == Label::input_gradient;
    if (pass.op.label != Label::cut_weight_gradient)
      hold(pass.span, memory.in_flight[pass.op.chunk]);
    if (pass.op.label == Label::cut_weight_gradient) {
      changes.push_back({pass.span.end, -inputs - (head ? memory.deferred : 0)});
      continue;
    }
    if (pass.op.label == Label::forward) {
      changes.push_back({pass.span.start, activations});
      if (!head) continue;
      changes.push_back({pass.span.start, memory.loss_saved});
      hold(pass.span, memory.loss_peak - memory.loss_saved);
      continue;
    }
    const bool defers =
        head && recipe.defers_weight_gradient(static_cast<int>(pass.op.micro_batch));
    const double deferred = defers || (cut && head) ? memory.deferred : 0;
    changes.push_back({pass.span.end, (cut ? inputs : 0) - activations});
    if (cut) hold(pass.span, std::max(0.0, inputs - activations));
    if (!head) {
      hold(pass.span, memory.temporary);
      continue;
    }
    changes.push_back({pass.span.start, -memory.loss_saved});
    hold(pass.span, std::max(memory.loss_peak, memory.temporary + deferred));
    if (cut) {
      changes.push_back({pass.span.end, deferred});
    } else {
      hold({pass.span.end, flushed}, deferred);
    }
  }
  return changes;
}

/// What is given back at a time is free for what is asked for at it.
std::vector<MemoryPoint> sums(std::vector<Change> changes, double kept) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time < b.time; });
  std::vector<MemoryPoint> points{{Duration{}, kept}};
  double extra = 0;
  for (const Change& change : changes) {
    extra += change.bytes;
    if (change.time != points.back().time) points.push_back({change.time, 0});
    points.back().bytes = kept + extra;
  }
  return points;
}

RankMemory memory_at(const Recipe& recipe, const ModelTotals& totals,
                     const std::vector<StageMemory>& stages, const Plan& plan,
                     const Timeline& timeline, std::size_t place) {
  const SimulatedRank& rank = plan.ranks[place];
  const double kept = stages[static_cast<std::size_t>(rank.stage)].kept();
  return {rank.rank, rank.stage,
          sums(changes_of(recipe, pass_memory(recipe, totals, rank.stage),
                          plan.programs[rank.program], timeline.spans[place]),
               kept)};
}

}  // namespace

double RankMemory::peak() const {
  double peak = 0;
  for (const MemoryPoint& point : points) peak = std::max(peak, point.bytes);
  return peak;
}

std::vector<RankMemory> memory_timeline(const Recipe& recipe, const GpuSpec& gpu,
                                        const RankGrid& grid, const Plan& plan,
                                        const Timeline& timeline) {
  const std::vector<StageMemory> stages = stage_memory(recipe, gpu, grid);
  const ModelTotals totals(recipe);
  std::vector<RankMemory> result;
  result.reserve(plan.ranks.size());
  for (std::size_t i = 0; i < plan.ranks.size(); ++i)
    result.push_back(memory_at(recipe, totals, stages, plan, timeline, i));
  return result;
}

RankMemory rank_memory(const Recipe& recipe, const GpuSpec& gpu, const RankGrid& grid,
                       const Plan& plan, const Timeline& timeline, std::size_t place) {
  return memory_at(recipe, ModelTotals(recipe), stage_memory(recipe, gpu, grid), plan, timeline,
                   place);
}

}  // namespace simtrain
