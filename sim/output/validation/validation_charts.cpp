#include "sim/output/validation/validation_charts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/output/html/html.h"
#include "sim/output/html/html_colours.h"

namespace simtrain {
namespace {

struct Frame {
  double left = 56, top = 14, width = 860, height = 340;
  double low = 0, high = 0;            ///< of the ratio
  double log_first = 0, log_last = 0;  ///< of the base

  [[nodiscard]] double x(double value) const {
    return left + (std::log10(value) - log_first) / (log_last - log_first) * width;
  }
  [[nodiscard]] double y(double ratio) const {
    return top + (high - ratio) / (high - low) * height;
  }
};

double measured_s(const ScatterPoint& point) {
  return point.run->find(FigureName::step_time)->measured;
}

double error_of(const ScatterPoint& point) {
  return point.run->find(FigureName::step_time)->error();
}

double base_of(const ScatterPoint& point, ScatterBase base) {
  return base == ScatterBase::gpus ? point.run->report.gpus : measured_s(point);
}

/// Room for every point, 5 % either side at least.
Frame frame_of(const std::vector<ScatterPoint>& points, ScatterBase base) {
  Frame frame;
  double low = 0.95;
  double high = 1.05;
  double least = base_of(points.front(), base);
  double most = least;
  for (const ScatterPoint& point : points) {
    low = std::min(low, 1 + error_of(point));
    high = std::max(high, 1 + error_of(point));
    least = std::min(least, base_of(point, base));
    most = std::max(most, base_of(point, base));
  }
  frame.low = std::floor(low * 20 - 0.2) / 20;
  frame.high = std::ceil(high * 20 + 0.2) / 20;
  frame.log_first = std::log10(least) - 0.06;
  frame.log_last = std::log10(most) + 0.06;
  return frame;
}

std::string ratio_lines(const Frame& frame) {
  std::string out = fmt::format(
      "<rect class=\"band\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
      frame.left, frame.y(1.05), frame.width, frame.y(0.95) - frame.y(1.05));
  const double step = (frame.high - frame.low) / 20 > 0.05 ? (frame.high - frame.low) / 10 : 0.05;
  const auto lines = static_cast<int>(std::lround((frame.high - frame.low) / step));
  for (int line = 0; line <= lines; ++line) {
    const double ratio = frame.low + line * step;
    const bool none = std::abs(ratio - 1) < step / 10;
    const std::string label = none ? "0 %" : fmt::format("{:+.0f} %", (ratio - 1) * 100);
    out += fmt::format(
        "<line class=\"{}\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        none ? "one" : "grid", frame.left, frame.left + frame.width, frame.y(ratio), frame.y(ratio),
        frame.left - 8, frame.y(ratio) + 4, label);
  }
  return out;
}

/// Round values of the base: 1, 2 and 5 of each decade of seconds, powers of two of GPUs.
std::vector<double> ticks_of(ScatterBase base) {
  std::vector<double> ticks;
  if (base == ScatterBase::gpus) {
    for (int power = 0; power < 31; ++power) ticks.push_back(std::ldexp(1, power));
    return ticks;
  }
  for (int power = -6; power < 9; ++power) {
    for (const double digit : {1.0, 2.0, 5.0}) ticks.push_back(digit * std::pow(10, power));
  }
  return ticks;
}

std::string base_ticks(const Frame& frame, ScatterBase base) {
  const bool gpus = base == ScatterBase::gpus;
  std::string out;
  for (const double value : ticks_of(base)) {
    if (std::log10(value) < frame.log_first || std::log10(value) > frame.log_last) continue;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.10g}{}</text>",
                       frame.x(value), frame.top + frame.height + 20, value, gpus ? "" : " s");
  }
  return out +
         fmt::format(
             "<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
             frame.left + frame.width / 2, frame.top + frame.height + 40,
             gpus ? "GPUs" : "measured step time");
}

std::string mark(double x, double y, bool diamond, std::size_t colour, const std::string& title) {
  const std::string shape =
      diamond ? fmt::format(
                    "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" "
                    "transform=\"rotate(45 {:.1f} {:.1f})\" class=\"point g{}\">",
                    x - 4, y - 4, x, y, colour)
              : fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" class=\"point g{}\">", x,
                            y, colour);
  return fmt::format("{}<title>{}</title></{}>\n", shape, html_text(title),
                     diamond ? "rect" : "circle");
}

/// The 90 % interval, as far as the frame goes.
std::string interval_stroke(const Frame& frame, const ScatterPoint& point, ScatterBase base) {
  const Interval interval = point.run->report.step_time_interval();
  const auto y = [&](double seconds) {
    return frame.y(std::clamp(seconds / measured_s(point), frame.low, frame.high));
  };
  return fmt::format(
      "<line class=\"interval\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
      frame.x(base_of(point, base)), y(interval.low), y(interval.high));
}

std::vector<std::string> groups_of(const std::vector<ScatterPoint>& points) {
  std::vector<std::string> groups;
  for (const ScatterPoint& point : points) {
    const std::string& group = point.table->spec.group;
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  return groups;
}

std::string colour_rules(bool dark) {
  std::string out;
  for (std::size_t i = 0; i < kGroupColours.size(); ++i)
    out += fmt::format(".g{0}{{fill:{1};background:{1}}}", i,
                       dark ? kGroupColours[i].dark : kGroupColours[i].light);
  for (std::size_t i = 0; i < kShares; ++i)
    out += fmt::format(".s{0}{{fill:{1};background:{1}}}", i,
                       dark ? kShareColours[i].dark : kShareColours[i].light);
  return out;
}

}  // namespace

std::string scatter_legend(const std::vector<ScatterPoint>& points) {
  const std::vector<std::string> groups = groups_of(points);
  std::string out = "<p class=\"legend\">";
  for (std::size_t i = 0; i < groups.size(); ++i)
    out += fmt::format("<span><i class=\"g{}\"></i>{}</span>", i % kGroupColours.size(),
                       html_text(groups[i]));
  return out +
         "<span class=\"soft\">\u25cf BF16, \u25c6 FP8, stroke: 90 % interval, band: 5 "
         "%</span></p>\n";
}

std::string error_scatter(const std::vector<ScatterPoint>& points, ScatterBase base) {
  if (points.empty()) return "";
  const Frame frame = frame_of(points, base);
  const std::vector<std::string> groups = groups_of(points);
  std::string out =
      "<div class=\"scroll\"><svg viewBox=\"0 0 930 400\" width=\"930\" "
      "height=\"400\" role=\"img\" aria-label=\"Error of each predicted step "
      "time\">\n";
  out += ratio_lines(frame) + base_ticks(frame, base);
  for (const ScatterPoint& point : points) out += interval_stroke(frame, point, base);
  for (const ScatterPoint& point : points) {
    const DocumentedTable& table = point.table->spec;
    const auto group = std::find(groups.begin(), groups.end(), table.group) - groups.begin();
    out += mark(frame.x(base_of(point, base)), frame.y(1 + error_of(point)),
                table.precision != Precision::bf16,
                static_cast<std::size_t>(group) % kGroupColours.size(),
                fmt::format("{} {}: measured {:.3f} s, predicted {:.3f} s, {:+.2f} %", table.table,
                            point.run->row, measured_s(point), point.run->report.step_time_s,
                            error_of(point) * 100));
  }
  return out + "</svg></div>\n";
}

std::string error_bar(const RunResult& run, double largest) {
  constexpr double kHalf = 55;
  const FigureResult& time = *run.find(FigureName::step_time);
  const auto x = [&](double error) { return 56 + std::clamp(error / largest, -1.0, 1.0) * kHalf; };
  const Interval interval = run.report.step_time_interval();
  const double end = x(time.error());
  return fmt::format(
      "<svg width=\"112\" height=\"16\" aria-hidden=\"true\"><line class=\"one\" x1=\"56\" "
      "x2=\"56\" "
      "y1=\"0\" y2=\"16\"/><rect class=\"{}\" x=\"{:.1f}\" y=\"3\" width=\"{:.1f}\" height=\"7\"/>"
      "<line class=\"interval\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"13\" y2=\"13\"/></svg>",
      time.error() < 0 ? "short" : "long", std::min(end, 56.0), std::abs(end - 56),
      x(interval.low / time.measured - 1), x(interval.high / time.measured - 1));
}

std::string breakdown_bar(const RunResult& run, double longest_s) {
  constexpr double kWidth = 360;
  const FigureResult* measured = run.find(FigureName::step_time);
  std::string out = "<svg width=\"362\" height=\"18\" role=\"img\" aria-label=\"breakdown\">";
  double x = 0;
  for (std::size_t i = 0; i < kShares; ++i) {
    const double seconds = run.report.breakdown[i];
    const double width = seconds / longest_s * kWidth;
    if (width < 0.05) continue;
    out += fmt::format(
        "<rect class=\"s{}\" x=\"{:.2f}\" y=\"2\" width=\"{:.2f}\" height=\"14\"><title>{}: {:.3f} "
        "s, "
        "{:.2f} %</title></rect>",
        i, x, width, EnumNames<Share>::rows[i].first, seconds,
        seconds / run.report.step_time_s * 100);
    x += width;
  }
  if (measured != nullptr)
    out += fmt::format(
        "<line class=\"measured\" x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"0\" y2=\"18\"><title>measured "
        "{1} s</title></line>",
        measured->measured / longest_s * kWidth, html_text(measured->printed));
  return out + "</svg>";
}

std::string breakdown_legend() {
  std::string out = "<p class=\"legend\">";
  for (std::size_t i = 0; i < kShares; ++i)
    out += fmt::format("<span><i class=\"s{}\"></i>{}</span>", i, EnumNames<Share>::rows[i].first);
  return out + "<span class=\"soft\">\u2502 measured</span></p>\n";
}

std::string chart_style() {
  return fmt::format(
      ".grid{{stroke:var(--line)}}.one{{stroke:var(--soft)}}.band{{fill:var(--card)}}"
      ".point{{fill-opacity:.85;stroke:var(--paper)}}.axis{{fill:var(--soft)}}"
      ".interval{{stroke:var(--soft);stroke-opacity:.6}}"
      ".bars{{width:auto}}.measured{{stroke:var(--ink);stroke-width:2}}.short{{fill:#2f6fd6}}.long{"
      "{fill:#c85a12}}"
      "{}@media(prefers-color-scheme:dark){{{}}}\n",
      colour_rules(false), colour_rules(true));
}

}  // namespace simtrain
