#include "sim/output/text/coloured_report.h"

#include <algorithm>
#include <array>

#include <fmt/color.h>

#include "sim/run/analysis/communication.h"

namespace simtrain {
namespace {

struct Verdict {
  std::string_view text;
  fmt::terminal_color colour;
};

/// Of two that begin alike, the longer one first.
constexpr auto kVerdicts = std::to_array<Verdict>({
    {"fits, but tight", fmt::terminal_color::yellow},
    {"fits", fmt::terminal_color::green},
    {"tight", fmt::terminal_color::yellow},
    {"does not fit", fmt::terminal_color::red},
    {"no fit", fmt::terminal_color::red},
    {"No plan fits", fmt::terminal_color::red},
    {"No plan is legal", fmt::terminal_color::red},
    {"No plan can be simulated", fmt::terminal_color::red},
    {"No plan is safe", fmt::terminal_color::yellow},
    {"illegal", fmt::terminal_color::red},
    {"Outside its bound", fmt::terminal_color::red},
    {"inside the interval", fmt::terminal_color::green},
    {"inside", fmt::terminal_color::green},
    {"outside the interval", fmt::terminal_color::red},
    {"outside", fmt::terminal_color::red},
    {"not converged", fmt::terminal_color::red},
    {"Success", fmt::terminal_color::green},
    {"Partial", fmt::terminal_color::yellow},
    {"NaN", fmt::terminal_color::red},
    {"No steps", fmt::terminal_color::red},
    {"Disagree", fmt::terminal_color::yellow},
});

std::string styled(std::string_view text, const fmt::text_style& style) {
  return fmt::format(style, "{}", text);
}

/// Whether the line, up to its end or from its start, may have a verdict there.
bool is_edge(std::string_view beside, bool behind) {
  if (beside.empty()) return true;
  if (behind) return beside.starts_with("  ") || beside.front() == ',' || beside.front() == ':';
  return beside.ends_with("  ") || beside.ends_with(", ") || beside.ends_with(": ");
}

std::string with_verdict(std::string_view line) {
  for (const Verdict& verdict : kVerdicts) {
    const std::size_t at = line.find(verdict.text);
    if (at == std::string_view::npos) continue;
    const std::string_view before = line.substr(0, at);
    const std::string_view behind = line.substr(at + verdict.text.size());
    if (!is_edge(before, false) || !is_edge(behind, true)) continue;
    return fmt::format("{}{}{}", before, styled(verdict.text, fg(verdict.colour)), behind);
  }
  return std::string(line);
}

bool waits(Share share) {
  return share == Share::bubble || share == Share::stragglers || share == Share::host;
}

/// The style of a share's bar, by the name of the share; none for other lines.
fmt::text_style bar_style(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    if (name != word || waits(share)) continue;
    return fg(group_name(share).empty() ? fmt::terminal_color::blue : fmt::terminal_color::magenta);
  }
  return {};
}

std::string other_line(std::string_view line) {
  const std::size_t last = line.find_last_not_of('#');
  if (last == std::string_view::npos || last + 1 == line.size() || line[last] != ' ')
    return with_verdict(line);
  const fmt::text_style style = bar_style(line);
  const std::string_view bar = line.substr(last + 1);
  return fmt::format("{}{}", line.substr(0, last + 1),
                     style.has_foreground() ? styled(bar, style) : std::string(bar));
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

bool is_heading(std::string_view line, std::string_view next, bool first) {
  return !line.empty() && line.front() != ' ' &&
         (first || next.starts_with(' ') ||
          (!next.empty() && line.find("  ") != std::string_view::npos));
}

}  // namespace

std::string coloured_report(std::string_view report) {
  std::string out;
  bool fresh = true;  // a paragraph begins
  const std::string_view whole = report;
  while (!report.empty()) {
    const bool first = report.size() == whole.size();
    const std::string_view line = first_line(report);
    report.remove_prefix(line.size());
    const bool ended = !report.empty();
    if (ended) report.remove_prefix(1);
    const bool heading = fresh && !report.empty() && is_heading(line, first_line(report), first);
    out += heading ? styled(line, fmt::emphasis::bold) : other_line(line);
    if (ended) out += '\n';
    fresh = line.empty();
  }
  return out;
}

}  // namespace simtrain
