#include "sim/workload/kernels/inner_traffic.h"

#include <algorithm>

namespace simtrain {
namespace {

/// On the links that a call fills first.
double hottest(const LinkLoad& load) { return load.nic > 0 ? load.nic : load.nvlink; }

}  // namespace

double Duty::slowdown(double stretch) const {
  double from = 1;
  double late = 0;
  for (std::size_t i = 0; i < kStretches.size(); ++i) {
    if (stretch <= kStretches[i])
      return 1 + late + (delay[i] - late) * (stretch - from) / (kStretches[i] - from);
    from = kStretches[i];
    late = delay[i];
  }
  return 1 + late + moving * (stretch - from);
}

double Duty::holding(double stretch) const {
  return std::min(1.0, (held + moving * (stretch - 1)) / slowdown(stretch));
}

void InnerTraffic::add(const InnerTraffic& other, double times) {
  if (other.wire <= 0 || hottest(other.call.load) <= 0) return;
  if (hottest(call.load) <= 0) call = other.call;
  wire += times * other.wire * hottest(other.call.load) / hottest(call.load);
  held_s += times * other.held_s;
  moving_s += times * other.moving_s;
  for (std::size_t i = 0; i < delay_s.size(); ++i) delay_s[i] += times * other.delay_s[i];
}

Duty InnerTraffic::duty(std::uint32_t kind, double pass_s) const {
  Duty duty{.kind = kind, .held = held_s / pass_s, .moving = moving_s / pass_s};
  for (std::size_t i = 0; i < delay_s.size(); ++i) duty.delay[i] = delay_s[i] / pass_s;
  return duty;
}

}  // namespace simtrain
