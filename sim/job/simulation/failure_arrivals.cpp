#include "sim/job/simulation/failure_arrivals.h"

namespace simtrain {
namespace {

/// Streams below it are of what no kind of failure decides (job_clock.cpp, run_steps.cpp).
constexpr std::uint32_t kFirstStream = 16;

}  // namespace

FailureArrivals::FailureArrivals(const JobPlan& plan, std::uint32_t run) {
  kinds_.reserve(plan.failures.size());
  std::uint32_t stream = kFirstStream;
  for (const FailureKind& failure : plan.failures) {
    Kind kind{{plan.seed, run, stream}, {plan.seed, run, stream + 1}, kNever, kNever};
    stream += 2;
    if (failure.rate > 0) {
      kind.mean_s = 1 / failure.rate;
      kind.next_s = kind.arrivals.exponential(kind.mean_s);
    }
    kinds_.push_back(kind);
  }
  find_next();
}

std::size_t FailureArrivals::take() {
  const std::size_t taken = first_;
  Kind& kind = kinds_[taken];
  kind.next_s += kind.arrivals.exponential(kind.mean_s);
  find_next();
  return taken;
}

void FailureArrivals::find_next() {
  next_s_ = kNever;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i].next_s >= next_s_) continue;
    next_s_ = kinds_[i].next_s;
    first_ = i;
  }
}

}  // namespace simtrain
