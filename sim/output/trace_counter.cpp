#include "sim/output/trace_counter.h"

#include <algorithm>
#include <cmath>

namespace simtrain {
namespace {

constexpr std::int64_t kBins = 500;

/// Sums of many rates leave dust where they should meet.
double rounded(double value, double step) { return std::round(value / step) * step; }

}  // namespace

TraceCounter::TraceCounter(Duration end, std::vector<Span> windows, double step)
    : end_(end),
      step_(step),
      windows_(std::move(windows)),
      width_(end.count() / kBins + 1),
      amounts_(static_cast<std::size_t>(kBins), 0),
      outside_(static_cast<std::size_t>(kBins)) {
  for (std::size_t i = 0; i < outside_.size(); ++i) outside_[i] = bin(i).end - bin(i).start;
  for (const Span& window : windows_) {
    for (std::size_t i = bin_at(window.start); i < outside_.size() && bin(i).start < window.end;
         ++i)
      outside_[i] -= std::min(bin(i).end, window.end) - std::max(bin(i).start, window.start);
  }
}

Span TraceCounter::bin(std::size_t number) const {
  const auto start = width_ * static_cast<std::int64_t>(number);
  return {std::min(start, end_), std::min(start + width_, end_)};
}

void TraceCounter::add(const Span& span, double amount) {
  if (span.end <= span.start || amount == 0) return;
  const double rate = amount / to_seconds(span.end - span.start);
  auto window = std::partition_point(windows_.begin(), windows_.end(),
                                     [&](const Span& w) { return w.end <= span.start; });
  Duration at = span.start;
  for (; window != windows_.end() && window->start < span.end; ++window) {
    if (window->start > at) add_outside({at, window->start}, rate);
    changes_.push_back({std::max(at, window->start), rate});
    at = std::min(span.end, window->end);
    changes_.push_back({at, -rate});
  }
  if (at < span.end) add_outside({at, span.end}, rate);
}

void TraceCounter::add_outside(const Span& span, double rate) {
  for (std::size_t i = bin_at(span.start); i < amounts_.size() && bin(i).start < span.end; ++i) {
    const Span here = bin(i);
    amounts_[i] +=
        rate * to_seconds(std::min(here.end, span.end) - std::max(here.start, span.start));
  }
}

std::vector<std::pair<Duration, double>> TraceCounter::values() const {
  std::vector<Change> changes = changes_;
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time < b.time; });
  std::vector<std::pair<Duration, double>> result;
  const auto put = [&](Duration time, double value) {
    if (!result.empty() && result.back().first == time) result.pop_back();
    const double shown = rounded(value, step_);
    if (result.empty() || result.back().second != shown) result.emplace_back(time, shown);
  };
  const auto put_means = [&](const Span& span) {
    for (std::size_t i = bin_at(span.start); i < amounts_.size() && bin(i).start < span.end; ++i) {
      const double seconds = to_seconds(outside_[i]);
      put(std::max(bin(i).start, span.start), seconds > 0 ? amounts_[i] / seconds : 0);
    }
  };
  Duration at{};
  auto change = changes.begin();
  for (const Span& window : windows_) {
    if (window.start > at) put_means({at, window.start});
    double rate = 0;
    put(window.start, rate);
    for (; change != changes.end() && change->time < window.end; ++change) {
      rate += change->rate;
      put(change->time, rate);
    }
    while (change != changes.end() && change->time == window.end) ++change;
    at = window.end;
  }
  if (at < end_) put_means({at, end_});
  put(end_, 0);
  return result;
}

}  // namespace simtrain
