#include "sim/job/simulation/job_clock.h"

#include <algorithm>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

/// Of what no kind of failure decides: people, and which replica a node belongs to.
constexpr std::uint32_t kOtherStream = 2;

/// A run that gets nowhere is given up.
double end_of(const JobPlan& plan) {
  if (plan.horizon_s < kNever) return plan.horizon_s;
  return (plan.restart_s() + plan.goal_steps * plan.full_step_s()) * kGivesUp;
}

}  // namespace

JobClock::JobClock(const JobPlan& plan, std::uint32_t run, UseTrace* trace)
    : plan_(plan),
      trace_(trace),
      arrivals_(plan, run),
      random_(plan.seed, run, kOtherStream),
      failures_(plan.failures.size(), 0),
      end_(end_of(plan)) {}

const FailureKind& JobClock::take_failure() {
  const std::size_t kind = arrivals_.take();
  ++arrived_;
  ++failures_[kind];
  return plan_.failures[kind];
}

double JobClock::delay(const FailureKind& kind, double mean) {
  const auto index = static_cast<std::size_t>(&kind - plan_.failures.data());
  invariant(index < failures_.size(), "the failure is one of the plan's");
  return mean > 0 ? arrivals_.delay(index, mean) : 0;
}

/// Whether they wait for data at the beginning or the end does not show in parts of a run.
void JobClock::trace_steps(double start, double seconds) {
  if (trace_ == nullptr) return;
  const double waits = seconds * data_share_;
  trace_->add(start, seconds - waits, TimeUse::training);
  trace_->add(start + seconds - waits, waits, TimeUse::data);
}

Passed JobClock::pass_until_arrival(double seconds, TimeUse use) {
  const double until = std::min(now_ + std::max(seconds, 0.0), end_);
  const bool comes = arrivals_.next_s() < until;
  const double then = comes ? arrivals_.next_s() : until;
  const double passed = then - now_;
  used_[use] += passed;
  if (use == TimeUse::slowed) {  // as which steps pass until they are counted
    trace_steps(now_, passed);
  } else if (trace_ != nullptr) {
    trace_->add(now_, passed, use);
  }
  now_ = then;
  if (!comes) return ended() ? Passed::stopped : Passed::whole;
  return arrival_(take_failure()) || ended() ? Passed::stopped : Passed::arrival;
}

bool JobClock::pass(double seconds, TimeUse use) {
  const double until = now_ + std::max(seconds, 0.0);
  Passed passed = Passed::arrival;
  while (passed == Passed::arrival) passed = pass_until_arrival(until - now_, use);
  return passed == Passed::whole;
}

void JobClock::pass_in_turns(double turns, double steps_s, double saving_s) {
  UseTrace* trace = std::exchange(trace_, nullptr);
  const double begun = now_;
  pass(turns * saving_s, TimeUse::saving);
  pass(turns * steps_s, TimeUse::slowed);
  trace_ = trace;
  for (double turn = 0; trace_ != nullptr && turn < turns; ++turn) {
    const double start = begun + turn * (steps_s + saving_s);
    trace_steps(start, steps_s);
    trace_->add(start + steps_s, saving_s, TimeUse::saving);
  }
}

void JobClock::move(TimeUse from, TimeUse to, double seconds) {
  const double moved = std::min(seconds, used_[from]);
  used_[from] -= moved;
  used_[to] += moved;
}

void JobClock::lose_since(const UsedTime& before) {
  for (const TimeUse use : {TimeUse::training, TimeUse::evaluation, TimeUse::slowed})
    move(use, TimeUse::lost_work, used_[use] - before[use]);
}

JobRun JobClock::result() const {
  JobRun run;
  run.elapsed_s = now_;
  run.used = used_;
  run.failures = failures_;
  return run;
}

}  // namespace simtrain
