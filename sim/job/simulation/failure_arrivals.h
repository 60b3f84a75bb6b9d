#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/job/plan/job_plan.h"
#include "sim/job/simulation/counter_random.h"

namespace simtrain {

/// The failures of one run of a job in the order of their times. Each kind is a Poisson process
/// with random numbers of its own, so that plans in which one kind is rarer meet all others at the
/// same times.
class FailureArrivals {
 public:
  FailureArrivals(const JobPlan& plan, std::uint32_t run);

  /// When the next one comes; kNever where nothing fails.
  [[nodiscard]] double next_s() const { return next_s_; }
  /// Index in JobPlan::failures of what comes then. Goes on to the one behind it.
  std::size_t take();
  /// Exponentially distributed, of what follows from a failure of a kind.
  double delay(std::size_t kind, double mean) { return kinds_[kind].delays.exponential(mean); }

 private:
  struct Kind {
    CounterRandom arrivals;
    CounterRandom delays;
    double mean_s;
    double next_s;
  };
  void find_next();

  std::vector<Kind> kinds_;
  std::size_t first_ = 0;
  double next_s_ = kNever;
};

}  // namespace simtrain
