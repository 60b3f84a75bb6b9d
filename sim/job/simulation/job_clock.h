#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/job/simulation/counter_random.h"
#include "sim/job/simulation/failure_arrivals.h"
#include "sim/job/simulation/job_run.h"

namespace simtrain {

/// How a stretch of time ended: whole; with a failure that lets things go on; cut short.
enum class Passed { whole, arrival, stopped };

/// The time of a run: passes it, counts what it goes into, and lets failures arrive in it.
class JobClock {
 public:
  /// `trace` may be none.
  JobClock(const JobPlan& plan, std::uint32_t run, UseTrace* trace);

  /// Called with each failure as it comes, at `now()`. It says whether that ends what is going on.
  void on_arrival(std::function<bool(const FailureKind&)> arrival) {
    arrival_ = std::move(arrival);
  }

  [[nodiscard]] double now() const { return now_; }
  /// The horizon is reached, or the run is given up.
  [[nodiscard]] bool ended() const { return now_ >= end_ || arrived_ >= kMostFailures; }
  /// When the next failure comes, or the run ends.
  [[nodiscard]] double next_arrival() const { return std::min(arrivals_.next_s(), end_); }
  [[nodiscard]] const UsedTime& used() const { return used_; }

  /// Lets time pass under a use. False where a failure or the end of the run cut it short.
  bool pass(double seconds, TimeUse use);
  /// The same until any failure at all arrives.
  Passed pass_until_arrival(double seconds, TimeUse use);

  /// From now on steps wait for their data for this share of their time.
  void set_data_share(double share) { data_share_ = share; }

  /// The same of steps and saves by turns, in which nothing arrives.
  void pass_in_turns(double turns, double steps_s, double saving_s);

  /// Counts time under another use.
  void move(TimeUse from, TimeUse to, double seconds);
  /// Counts the steps since `before` as lost.
  void lose_since(const UsedTime& before);

  /// Exponentially distributed, of what follows from a failure: one of the plan's, no copy of it.
  double delay(const FailureKind& kind, double mean);
  /// The same of what people do.
  double delay(double mean) { return mean > 0 ? random_.exponential(mean) : 0; }
  /// Between 0 and 1.
  double chance() { return random_.uniform(); }

  /// Time and failures so far.
  [[nodiscard]] JobRun result() const;

 private:
  void trace_steps(double start, double seconds);
  const FailureKind& take_failure();

  const JobPlan& plan_;
  UseTrace* trace_;
  FailureArrivals arrivals_;
  CounterRandom random_;
  std::function<bool(const FailureKind&)> arrival_;
  UsedTime used_;
  std::vector<std::int64_t> failures_;
  double data_share_ = 0;
  double now_ = 0;
  double end_;
  std::int64_t arrived_ = 0;
};

}  // namespace simtrain
