#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/kernels/program.h"

namespace simtrain {

/// Where a program repeats itself: of its ops from `first` on and before `end`, each is the one
/// `ops` before it once more, at the same cost and behind the same ops, counted from itself. In the
/// steady phase of a schedule these are the ops of as many micro-batches as the schedule has in a
/// group.
struct ProgramPeriod {
  std::uint32_t ops = 0;
  std::uint32_t first = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool holds(std::uint32_t op) const { return first <= op && op < end; }
};

/// Of each program of a step, for as many micro-batches in all. Empty where one has none, or too
/// few of them to be worth a look.
std::vector<ProgramPeriod> program_periods(const std::vector<Program>& programs);

}  // namespace simtrain
