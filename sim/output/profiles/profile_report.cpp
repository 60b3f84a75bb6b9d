#include "sim/output/profiles/profile_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/measured/metrics_report.h"
#include "sim/output/profiles/profile_rows.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

std::string time_or_none(double seconds, bool there) { return there ? seconds_text(seconds) : "-"; }

std::string times_text(const std::vector<NamedRow>& rows) {
  std::string out = fmt::format("  {:<22}{:>11}{:>11}{:>11}{:>12}\n", "", "predicted", "+ waiting",
                                "measured", "error");
  for (const auto& [name, row, summed] : rows) {
    const PredictedKernels& predicted = row.predicted;
    out += fmt::format("  {:<22}{:>11}{:>11}{:>11}{:>12}{:>10}\n", name,
                       time_or_none(predicted.seconds, predicted.calls > 0),
                       time_or_none(predicted.waiting_s, predicted.waiting_s > 0),
                       time_or_none(row.measured_s, row.measured_calls > 0),
                       difference_text(predicted.seconds, row.measured_s),
                       error_text(predicted.seconds, row.measured_s));
  }
  return out;
}

std::string counts_text(const std::vector<NamedRow>& rows) {
  std::string out = fmt::format("  {:<22}{:>11}{:>22}\n", "", "predicted", "measured");
  for (const auto& [name, row, summed] : rows)
    out += fmt::format("  {:<22}{:>11}{:>22}\n", name,
                       step_calls_text(static_cast<double>(row.predicted.calls)),
                       step_calls_text(row.measured_calls));
  return out;
}

void add_kernels(std::string& out, const ProfileComparison& comparison) {
  const std::vector<NamedRow> rows = named_kernel_rows(comparison);
  out += "\nKernels in a step, by kind; errors are predicted less measured, and over it\n" +
         times_text(rows);
  if (comparison.straggler_wait_s > 0)
    out += fmt::format("  {:<22}{:>11}{:>11}\n", "slowest rank", "-",
                       seconds_text(comparison.straggler_wait_s));
  out += "\nHow many of them\n" + counts_text(rows);
}

void add_unclassified(std::string& out, const ProfileComparison& comparison) {
  constexpr std::size_t kShown = 20;
  constexpr std::size_t kWidth = 54;
  const auto& kernels = comparison.unclassified;
  if (kernels.empty()) return;
  out += "\nKernels of no known kind, in all steps: time and calls\n";
  for (std::size_t i = 0; i < std::min(kShown, kernels.size()); ++i) {
    out += fmt::format("  {:>12}{:>10}  {}\n", seconds_text(kernels[i].seconds), kernels[i].calls,
                       shortened(printable(kernels[i].name), kWidth));
  }
  if (kernels.size() <= kShown) return;
  double rest = 0;
  for (std::size_t i = kShown; i < kernels.size(); ++i) rest += kernels[i].seconds;
  out += fmt::format("  {:>12}{:>10}  by {} more names\n", seconds_text(rest), "",
                     kernels.size() - kShown);
}

void add_calls(std::string& out, const ProfileComparison& comparison) {
  const CallSums sums = call_sums(comparison.calls);
  out += fmt::format("  {:<18}{} predicted, {} logged; {} of {} kinds as predicted\n", "Calls",
                     sums.predicted, sums.logged, sums.alike, comparison.calls.size());
  out += fmt::format("  {:<18}{} predicted, {} logged, by count and type\n", "Bytes",
                     gigabytes(sums.predicted_bytes), gigabytes(sums.logged_bytes));
  out += "\nCalls of NCCL in all steps, by kind and size\n";
  out += fmt::format("  {:<14}{:>5} {:<11}{:>10}{:>11}{:>10}{:>8}\n", "", "ranks", "type", "count",
                     "size", "predicted", "logged");
  constexpr std::size_t kShownAlike = 60;
  constexpr std::size_t kShownOther = 20;
  std::size_t alike = 0;
  std::size_t other = 0;
  for (const CallRow& row : comparison.calls) {
    const bool shown = call_verdict(row).empty() ? ++alike <= kShownAlike : ++other <= kShownOther;
    if (!shown) continue;
    const std::string line = fmt::format(
        "  {:<14}{:>5} {:<11}{:>10}{:>11}{:>10}{:>8} {}", name_of(row.shape.function),
        row.shape.ranks > 0 ? fmt::format("{}", row.shape.ranks) : "-", row.shape.element().name,
        row.shape.count, call_size(Bytes(std::llround(row.bytes(1)))), row.predicted, row.logged,
        call_verdict(row));
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (alike > kShownAlike)
    out += fmt::format("  and {} kinds more, all as predicted\n", alike - kShownAlike);
  if (other > kShownOther)
    out += fmt::format("  {} more differ; --format json has all\n", other - kShownOther);
}

void add_facts(std::string& out, const Profile& profile, const ProfileComparison& comparison) {
  const auto line = [&](std::string_view label, const std::string& text) {
    labelled_line(out, label, text);
  };
  line("Rank",
       fmt::format("{}, stage {}: {}", comparison.rank, comparison.stage, comparison.rank_from));
  line("Steps", fmt::format("{}: {}", comparison.steps, comparison.steps_from));
  if (profile.gpus > 1)
    line("GPUs", fmt::format("{} in one profile; a step counts once a GPU", profile.gpus));
  if (!comparison.kernels.empty()) line("GPU busy", busy_text(comparison));
  if (profile.unknown_calls > 0)
    line("Calls", fmt::format("of {} kernels of NCCL, in all steps, the trace does not give",
                              profile.unknown_calls));
  if (profile.incomplete)
    line("Incomplete", "calls were left out, see below: this is not all of it");
}

}  // namespace

void add_skipped(std::string& out, const Profile& profile) {
  const bool events = profile.events > 0;
  const std::string skipped = skipped_text(profile.skipped, events ? profile.events : profile.lines,
                                           events ? "events" : "lines");
  if (!skipped.empty()) out += "\n" + skipped;
}

std::string profile_text(const std::string& scenario, const std::vector<ProfileReport>& reports) {
  std::string out = wrapped(printable(scenario), 0) + "\n";
  for (const ProfileReport& report : reports) {
    const Profile& profile = report.profile;
    std::vector<const ProfileComparison*> printed;
    for (const ProfileComparison& comparison : report.comparisons) {
      out += fmt::format("\nagainst {} ({}){}{}\n\n", printable(profile.path), profile.format,
                         comparison.process.empty() ? "" : ", process ",
                         printable(comparison.process));
      add_facts(out, profile, comparison);
      const auto same = std::find_if(printed.begin(), printed.end(),
                                     [&](const auto* one) { return same_calls(*one, comparison); });
      if (same != printed.end()) {
        out += fmt::format("  {:<18}as of process {}\n", "Calls", printable((*same)->process));
        continue;
      }
      printed.push_back(&comparison);
      if (!comparison.calls.empty()) add_calls(out, comparison);
      if (!comparison.kernels.empty()) add_kernels(out, comparison);
      add_unclassified(out, comparison);
    }
    add_skipped(out, profile);
  }
  return out;
}

}  // namespace simtrain
