#include "sim/output/html/step_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace simtrain {
namespace {

constexpr std::size_t kColumns = 430;  ///< of two units each
constexpr int kMarks = 5;              ///< on the axis of time, at most

struct Frame {
  double left = 70, top = 12, width = 860, height = 220;
  double low = 0, high = 0;  ///< s

  [[nodiscard]] double y(double seconds) const {
    return top + (high - seconds) / (high - low) * height;
  }
  /// Middle of a column.
  [[nodiscard]] double x(std::size_t column, std::size_t columns) const {
    return left + (static_cast<double>(column) + 0.5) / static_cast<double>(columns) * width;
  }
};

/// Room for the interval and every step.
Frame frame_of(const std::vector<MeasuredStep>& steps, const Comparison& comparison) {
  Frame frame;
  frame.low = comparison.interval.low;
  frame.high = comparison.interval.high;
  for (const MeasuredStep& step : steps) {
    frame.low = std::min(frame.low, step.seconds);
    frame.high = std::max(frame.high, step.seconds);
  }
  const double margin = std::max((frame.high - frame.low) * 0.08, frame.high * 1e-6);
  frame.low -= margin;
  frame.high += margin;
  return frame;
}

/// 1, 2 or 5 times a power of ten, such that at most kMarks fit.
double mark_distance(double range) {
  const double rough = range / kMarks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= rough) return digit * power;
  }
  return 10 * power;
}

std::string marks(const Frame& frame) {
  const double distance = mark_distance(frame.high - frame.low);
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(distance))));
  std::string out;
  const auto first = static_cast<std::int64_t>(std::ceil(frame.low / distance));
  const auto last = static_cast<std::int64_t>(std::floor(frame.high / distance));
  for (std::int64_t number = first; number <= last; ++number) {
    const double mark = static_cast<double>(number) * distance;
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.{6}f} s</text>\n",
        frame.left, frame.left + frame.width, frame.y(mark), frame.left - 8, frame.y(mark) + 4,
        mark, digits);
  }
  return out;
}

/// The prediction: a band and a line.
std::string prediction(const Frame& frame, const Comparison& comparison) {
  const double top = frame.y(comparison.interval.high);
  return fmt::format(
      "<rect class=\"band\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\"/>"
      "<line class=\"predicted\" x1=\"{0:.1f}\" x2=\"{4:.1f}\" y1=\"{5:.1f}\" y2=\"{5:.1f}\"/>\n",
      frame.left, top, frame.width, frame.y(comparison.interval.low) - top,
      frame.left + frame.width, frame.y(comparison.predicted_s));
}

std::string dots(const Frame& frame, const std::vector<MeasuredStep>& steps) {
  std::string out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    out += fmt::format(
        "<circle class=\"step\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"><title>step {}: {:.4g} s"
        "</title></circle>\n",
        frame.x(i, steps.size()), frame.y(steps[i].seconds), steps[i].number, steps[i].seconds);
  }
  return out;
}

/// A stroke a column, from its shortest to its longest step.
std::string strokes(const Frame& frame, const std::vector<MeasuredStep>& steps) {
  std::string out;
  for (std::size_t column = 0; column < kColumns; ++column) {
    const auto first =
        steps.begin() + static_cast<std::ptrdiff_t>(column * steps.size() / kColumns);
    const auto last =
        steps.begin() + static_cast<std::ptrdiff_t>((column + 1) * steps.size() / kColumns);
    const auto [least, most] = std::minmax_element(
        first, last,
        [](const MeasuredStep& a, const MeasuredStep& b) { return a.seconds < b.seconds; });
    out += fmt::format(
        "<line class=\"steps\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
        frame.x(column, kColumns), frame.y(most->seconds) - 0.5, frame.y(least->seconds) + 0.5);
  }
  return out + "\n";
}

}  // namespace

std::string step_chart(const std::vector<MeasuredStep>& steps, const Comparison& comparison) {
  if (steps.empty()) return "";
  const Frame frame = frame_of(steps, comparison);
  std::string out =
      "<div class=\"scroll\"><svg viewBox=\"0 0 940 262\" width=\"940\" height=\"262\" "
      "role=\"img\" aria-label=\"Measured step times and the predicted interval\">\n";
  out += marks(frame) + prediction(frame, comparison);
  out += steps.size() <= kColumns ? dots(frame, steps) : strokes(frame, steps);
  out += fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\">step {2}</text>"
      "<text x=\"{3:.1f}\" y=\"{1:.1f}\" text-anchor=\"end\">step {4}</text>\n",
      frame.left, frame.top + frame.height + 20, steps.front().number, frame.left + frame.width,
      steps.back().number);
  return out +
         "</svg></div>\n<p class=\"soft\">Points: measured steps. Line and band: prediction and "
         "its "
         "90 % interval.</p>\n";
}

std::string step_chart_style() {
  return ".grid{stroke:var(--line)}.band{fill:#2f6fd6;fill-opacity:.13}"
         ".predicted{stroke:#2f6fd6;stroke-width:1.5}.step{fill:#c85a12;fill-opacity:.85}"
         ".steps{stroke:#c85a12;stroke-width:2}\n";
}

}  // namespace simtrain
