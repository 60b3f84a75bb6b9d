#include "sim/job/simulation/job_clock.h"

#include <algorithm>

namespace simtrain {
namespace {

/// What random numbers are for: each has a stream of its own, so that plans with the same failures
/// meet them at the same times.
enum RandomUse : std::uint32_t { arrivals, kinds, delays };

/// A run that gets nowhere is given up.
double end_of(const JobPlan& plan) {
  if (plan.horizon_s < kNever) return plan.horizon_s;
  return (plan.restart_s() + plan.goal_steps * plan.full_step_s()) * kGivesUp;
}

}  // namespace

JobClock::JobClock(const JobPlan& plan, std::uint32_t run, UseTrace* trace)
    : plan_(plan),
      trace_(trace),
      arrivals_(plan.seed, run, RandomUse::arrivals),
      kinds_(plan.seed, run, RandomUse::kinds),
      delays_(plan.seed, run, RandomUse::delays),
      failures_(plan.failures.size(), 0),
      rate_(plan.failures_per_s()),
      end_(end_of(plan)) {
  draw_next();
}

void JobClock::draw_next() {
  if (rate_ > 0) next_ = now_ + arrivals_.exponential(1 / rate_);
}

const FailureKind& JobClock::draw_kind() {
  double left = kinds_.uniform() * rate_;
  std::size_t kind = 0;
  while (kind + 1 < plan_.failures.size() && left >= plan_.failures[kind].rate)
    left -= plan_.failures[kind++].rate;
  ++failures_[kind];
  return plan_.failures[kind];
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
  const bool comes = next_ < until;
  used_[use] += (comes ? next_ : until) - now_;
  const double passed = (comes ? next_ : until) - now_;
  if (use == TimeUse::slowed) {  // as which steps pass until they are counted
    trace_steps(now_, passed);
  } else if (trace_ != nullptr) {
    trace_->add(now_, passed, use);
  }
  now_ = comes ? next_ : until;
  if (!comes) return ended() ? Passed::stopped : Passed::whole;
  ++arrived_;
  draw_next();
  return arrival_(draw_kind()) || ended() ? Passed::stopped : Passed::arrival;
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
