#include "sim/output/trace/trace_counter.h"

#include <algorithm>
#include <cmath>

namespace simtrain {
namespace {

constexpr std::int64_t kBins = 500;

/// Sums of many rates leave dust where they should meet.
double rounded(double value, double step) { return std::round(value / step) * step; }

Duration bin_width(Duration end) { return Duration(end.count() / kBins + 1); }

/// A window, or a part of a bin that lies outside of all.
struct CounterStretch {
  Span span;
  bool window = false;
};

/// A step from its start to its end.
std::vector<CounterStretch> stretches(Duration end, const std::vector<Span>& windows) {
  const Duration width = bin_width(end);
  std::vector<CounterStretch> result;
  result.reserve(static_cast<std::size_t>(kBins) + 2 * windows.size());
  const auto cut = [&](Duration from, Duration to) {
    while (from < to) {
      const Duration next = std::min(to, width * (from / width + 1));
      result.push_back({{from, next}, false});
      from = next;
    }
  };
  Duration at{};
  for (const Span& window : windows) {
    cut(at, window.start);
    result.push_back({window, true});
    at = window.end;
  }
  cut(at, end);
  return result;
}

}  // namespace

TraceCounter::TraceCounter(Duration end, std::vector<Span> windows, double step)
    : end_(end),
      step_(step),
      windows_(std::move(windows)),
      width_(bin_width(end)),
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

std::vector<std::pair<Duration, double>> held_bytes(const RankMemory& memory, Duration end,
                                                    const std::vector<Span>& windows) {
  std::vector<std::pair<Duration, double>> result;
  const auto put = [&](Duration time, double bytes) {
    const double shown = std::round(bytes);
    if (result.empty() || result.back().second != shown) result.emplace_back(time, shown);
  };
  auto point = memory.points.begin();
  double level = point->bytes;
  for (const auto& [span, window] : stretches(end, windows)) {
    const bool changes = point != memory.points.end() && point->time == span.start;
    double most = changes ? 0 : level;
    if (window && !changes) put(span.start, level);
    for (; point != memory.points.end() && point->time < span.end; ++point) {
      level = point->bytes;
      most = std::max(most, level);
      if (window) put(point->time, level);
    }
    if (!window) put(span.start, most);
  }
  put(end, memory.points.back().bytes);
  return result;
}

}  // namespace simtrain
