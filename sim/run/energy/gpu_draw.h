#pragma once

#include <algorithm>
#include <cmath>

#include "sim/run/energy/step_energy.h"
#include "sim/workload/kernels/program.h"

namespace simtrain {

/// Watts of one GPU at the clock of a step.
class GpuDraw {
 public:
  GpuDraw(const PowerSpec& power, double clock)
      : power_(power),
        unit_(power.limit.value.value()),
        factor_(std::pow(clock, power.exponent.value)) {}

  [[nodiscard]] double limit() const { return power_.cap(); }
  [[nodiscard]] double idle() const { return unit_ * power_.idle.value; }
  [[nodiscard]] double streaming() const { return unit_ * power_.capped_streaming(); }
  /// Alone.
  [[nodiscard]] double communication() const {
    return std::max(idle(), unit_ * power_.communication.value);
  }
  /// What it adds beside something that draws so much.
  [[nodiscard]] double communication_beside(double watts) const {
    return std::clamp(limit() - watts, 0.0, communication() - idle());
  }
  /// A single kernel while it runs.
  [[nodiscard]] double kernel(const ComputeCost& cost) const {
    return unit_ * cost.sm_bound * cost.draw * factor_ + streaming() * (1 - cost.sm_bound);
  }

 private:
  const PowerSpec& power_;
  double unit_;  ///< of draws
  double factor_;
};

inline double& of(ByDrawKind& amounts, DrawKind kind) {
  return amounts[static_cast<std::size_t>(kind)];
}

inline void add(ByDrawKind& sum, const ByDrawKind& part, double times) {
  for (std::size_t i = 0; i < kDrawKinds; ++i) sum[i] += part[i] * times;
}

double sum_of(const ByDrawKind& amounts);

}  // namespace simtrain
