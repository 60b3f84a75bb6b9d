#include "sim/output/validation_charts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/output/html.h"

namespace simtrain {
namespace {

/// Light and dark colours of the groups of the scatter, in order of appearance.
constexpr std::array<std::array<std::string_view, 2>, 8> kGroupColours{{{"#2f6fd6", "#6ea0f0"},
                                                                        {"#0f8a7c", "#3fbfae"},
                                                                        {"#b7790a", "#e0b24a"},
                                                                        {"#c2384f", "#ef7f91"},
                                                                        {"#8e3fb5", "#c58ae0"},
                                                                        {"#4c8a14", "#8cc152"},
                                                                        {"#c85a12", "#f0955c"},
                                                                        {"#5a6575", "#a3afbf"}}};

/// Colours of the shares, as EnumNames<Share> lists them: blue is compute, warm is communication,
/// grey is waiting.
constexpr auto kShareColours =
    std::to_array<std::array<std::string_view, 2>>({{"#2b5fb8", "#5b8fe6"},
                                                    {"#5b93e0", "#8db6f2"},
                                                    {"#12887c", "#3cb5a8"},
                                                    {"#56b8ac", "#86d6cc"},
                                                    {"#7a63c7", "#a893ea"},
                                                    {"#8d98a8", "#74808f"},
                                                    {"#c2410c", "#f08c55"},
                                                    {"#e0812f", "#f5b27a"},
                                                    {"#d6a400", "#e8c95a"},
                                                    {"#b91c4a", "#ee7a9b"},
                                                    {"#b9c1cc", "#4d5866"},
                                                    {"#4f6b2f", "#9dbd76"},
                                                    {"#a16a8a", "#d3a2be"},
                                                    {"#6f7f96", "#8fa0b8"}});
static_assert(kShareColours.size() == kShares);

struct Frame {
  double left = 56, top = 14, width = 860, height = 340;
  double low = 0, high = 0;            ///< of the ratio
  double log_first = 0, log_last = 0;  ///< of the measured time

  [[nodiscard]] double x(double seconds) const {
    return left + (std::log10(seconds) - log_first) / (log_last - log_first) * width;
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

/// Room for every point, 5 % either side at least.
Frame frame_of(const std::vector<ScatterPoint>& points) {
  Frame frame;
  double low = 0.95;
  double high = 1.05;
  double least = measured_s(points.front());
  double most = least;
  for (const ScatterPoint& point : points) {
    low = std::min(low, 1 + error_of(point));
    high = std::max(high, 1 + error_of(point));
    least = std::min(least, measured_s(point));
    most = std::max(most, measured_s(point));
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

std::string time_ticks(const Frame& frame) {
  std::string out;
  for (int power = -6; power < 9; ++power) {
    const double decade = std::pow(10, power);
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double seconds = decade * digit;
      if (std::log10(seconds) < frame.log_first || std::log10(seconds) > frame.log_last) continue;
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g} s</text>",
                         frame.x(seconds), frame.top + frame.height + 20, seconds);
    }
  }
  return out + fmt::format(
                   "<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">measured "
                   "step time</text>\n",
                   frame.left + frame.width / 2, frame.top + frame.height + 40);
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
std::string interval_stroke(const Frame& frame, const ScatterPoint& point) {
  const Interval interval = point.run->report.step_time_interval();
  const auto y = [&](double seconds) {
    return frame.y(std::clamp(seconds / measured_s(point), frame.low, frame.high));
  };
  return fmt::format(
      "<line class=\"interval\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
      frame.x(measured_s(point)), y(interval.low), y(interval.high));
}

std::vector<std::string> groups_of(const std::vector<ScatterPoint>& points) {
  std::vector<std::string> groups;
  for (const ScatterPoint& point : points) {
    const std::string& group = point.table->spec.group;
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  return groups;
}

std::string scatter_legend(const std::vector<std::string>& groups) {
  std::string out = "<p class=\"legend\">";
  for (std::size_t i = 0; i < groups.size(); ++i)
    out += fmt::format("<span><i class=\"g{}\"></i>{}</span>", i % kGroupColours.size(),
                       html_text(groups[i]));
  return out +
         "<span class=\"soft\">\u25cf BF16, \u25c6 FP8, stroke: 90 % interval, band: 5 "
         "%</span></p>\n";
}

std::string colour_rules(std::size_t side) {
  std::string out;
  for (std::size_t i = 0; i < kGroupColours.size(); ++i)
    out += fmt::format(".g{0}{{fill:{1};background:{1}}}", i, kGroupColours[i][side]);
  for (std::size_t i = 0; i < kShares; ++i)
    out += fmt::format(".s{0}{{fill:{1};background:{1}}}", i, kShareColours[i][side]);
  return out;
}

}  // namespace

std::string error_scatter(const std::vector<ScatterPoint>& points) {
  if (points.empty()) return "";
  const Frame frame = frame_of(points);
  const std::vector<std::string> groups = groups_of(points);
  std::string out = scatter_legend(groups) +
                    "<div class=\"scroll\"><svg viewBox=\"0 0 930 400\" width=\"930\" "
                    "height=\"400\" role=\"img\" aria-label=\"Error of each predicted step time "
                    "against the measured step time\">\n";
  out += ratio_lines(frame) + time_ticks(frame);
  for (const ScatterPoint& point : points) out += interval_stroke(frame, point);
  for (const ScatterPoint& point : points) {
    const DocumentedTable& table = point.table->spec;
    const auto group = std::find(groups.begin(), groups.end(), table.group) - groups.begin();
    out += mark(frame.x(measured_s(point)), frame.y(1 + error_of(point)),
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
      ".legend{{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:13px;margin:8px 0}}"
      ".legend i{{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:5px}}"
      ".grid{{stroke:var(--line)}}.one{{stroke:var(--soft)}}.band{{fill:var(--card)}}"
      ".point{{fill-opacity:.85;stroke:var(--paper)}}.axis{{fill:var(--soft)}}"
      ".interval{{stroke:var(--soft);stroke-opacity:.6}}"
      ".measured{{stroke:var(--ink);stroke-width:2}}.short{{fill:#2f6fd6}}.long{{fill:#c85a12}}"
      "{}@media(prefers-color-scheme:dark){{{}}}\n",
      colour_rules(0), colour_rules(1));
}

}  // namespace simtrain
