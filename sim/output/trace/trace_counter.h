#pragma once

#include <utility>
#include <vector>

#include "sim/run/analysis/memory_timeline.h"

namespace simtrain {

/// Amounts per second over a step, from amounts that are each spread evenly over a span: exact
/// inside the windows that are looked at closely, means over a five-hundredth of the step outside.
class TraceCounter {
 public:
  /// `windows` are in order and do not touch; values are rounded to whole `step`s.
  TraceCounter(Duration end, std::vector<Span> windows, double step);

  void add(const Span& span, double amount);

  /// Times and what holds from them on, where it changes; 0 at the end of the step.
  [[nodiscard]] std::vector<std::pair<Duration, double>> values() const;

 private:
  struct Change {
    Duration time;
    double rate;
  };

  void add_outside(const Span& span, double rate);
  [[nodiscard]] Span bin(std::size_t number) const;
  [[nodiscard]] std::size_t bin_at(Duration time) const {
    return static_cast<std::size_t>(time / width_);
  }

  Duration end_;
  double step_;
  std::vector<Span> windows_;
  Duration width_;                 ///< of a bin
  std::vector<double> amounts_;    ///< by bin, outside windows
  std::vector<Duration> outside_;  ///< of each bin, how much lies outside windows
  std::vector<Change> changes_;    ///< inside windows
};

/// Times and what a rank's allocator holds from them on, in whole bytes, where it changes: exact
/// inside the windows (in order, not touching), the most of each five-hundredth of the step
/// outside.
std::vector<std::pair<Duration, double>> held_bytes(const RankMemory& memory, Duration end,
                                                    const std::vector<Span>& windows);

}  // namespace simtrain
