#include "sim/workload/plan/program/step_clock.h"

#include <cmath>

#include "sim/workload/plan/program/step_plan.h"

namespace simtrain {
namespace {

void add_load(PowerLoad& load, const Program& program, int times) {
  for (const Op& op : program.ops) {
    if (!op.compute) continue;
    const ComputeCost& cost = program.compute_costs[op.cost];
    const double seconds = to_seconds(cost.time) * times;
    load.sm_bound_s += seconds * cost.sm_bound;
    load.sm_bound_j += seconds * cost.sm_bound * cost.draw;
    load.other_s += seconds * (1 - cost.sm_bound);
  }
}

}  // namespace

double power_limited_clock(const PowerSpec& power, const PowerLoad& load) {
  const auto excess = [&](double clock) {
    const double drawn = load.sm_bound_j * std::pow(clock, power.exponent.value - 1) +
                         power.capped_streaming() * load.other_s;
    return drawn - power.available.value * power.capped * (load.sm_bound_s / clock + load.other_s);
  };
  if (excess(1) <= 0) return 1;
  double low = 0;
  double high = 1;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (excess(middle) > 0 ? high : low) = middle;
  }
  return low;
}

double step_clock(const KernelContext& context) {
  PowerLoad load;
  const auto add = [&](Part part, int kind, int times) {
    for (const Phase phase : {Phase::forward, Phase::backward})
      add_load(load, piece_program(context, {part, phase, kind}, 0), times);
  };
  const std::vector<LayerKind>& kinds = context.totals.layers().kinds();
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    add(Part::layer, static_cast<int>(kind), kinds[kind].layers);
  add(Part::embedding, 0, 1);
  add(Part::head, 0, 1);
  return power_limited_clock(context.cluster.spec().gpu.power, load);
}

}  // namespace simtrain
