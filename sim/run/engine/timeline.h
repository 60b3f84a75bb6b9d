#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/quantity.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// When an op ran. A collective's span starts when its last member has come.
struct Span {
  Duration start{};
  Duration end{};
};

/// A simulated plan: spans by simulated rank and op, in the order of the rank's program.
struct Timeline {
  std::vector<std::vector<Span>> spans;
  Duration end{};
  std::uint64_t events = 0;
  std::uint64_t repeated = 0;  ///< of them, in periods that are as those before to the last bit

  [[nodiscard]] const Span& span(std::uint32_t rank, std::uint32_t op) const {
    return spans[rank][op];
  }
};

}  // namespace simtrain
