#include "sim/output/measured/profile_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/output/measured/metrics_report.h"
#include "sim/output/text/text_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

/// Kinds that a table sums up.
struct KindGroup {
  std::string_view name;
  KernelKind first{};
  KernelKind last{};

  [[nodiscard]] bool holds(KernelKind kind) const { return kind >= first && kind <= last; }
};

constexpr std::array kGroups{
    KindGroup{"gemm", KernelKind::gemm, KernelKind::gemm},
    KindGroup{"attention", KernelKind::attention, KernelKind::attention},
    KindGroup{"memory_bound", KernelKind::norm, KernelKind::optimizer},
    KindGroup{"user_buffers", KernelKind::user_buffers, KernelKind::user_buffers},
    KindGroup{"expert_exchange", KernelKind::expert_exchange, KernelKind::expert_exchange},
    KindGroup{"nccl", KernelKind::nccl_all_reduce, KernelKind::nccl_other},
    KindGroup{"copy", KernelKind::copy, KernelKind::copy},
    KindGroup{"unclassified", KernelKind::unclassified, KernelKind::unclassified}};

std::string time_or_none(double seconds, bool there) { return there ? seconds_text(seconds) : "-"; }

/// Predicted less measured, where both are there.
std::string difference(double predicted, double measured) {
  if (!(predicted > 0) || !(measured > 0)) return "-";
  return (predicted < measured ? "" : "+") + seconds_text(predicted - measured);
}

/// Predicted over measured, less one. A dash where the two are a hundredfold apart.
std::string error_text(double predicted, double measured) {
  constexpr double kMostShown = 100;
  if (!(predicted > 0) || !(measured > 0) || predicted > kMostShown * measured) return "-";
  return fmt::format("{:+.1f} %", (predicted / measured - 1) * 100);
}

/// Calls in a step, which need not be whole where a profile holds several.
std::string count_text(double count) {
  if (!(count > 0)) return "-";
  return count == std::floor(count) ? fmt::format("{:.0f}", count) : fmt::format("{:.1f}", count);
}

/// A row of the tables of kernels under its name.
struct NamedRow {
  std::string name;
  KernelRow row;
};

std::string times_text(const std::vector<NamedRow>& rows) {
  std::string out = fmt::format("  {:<22}{:>11}{:>11}{:>11}{:>12}\n", "", "predicted", "+ waiting",
                                "measured", "error");
  for (const auto& [name, row] : rows) {
    const PredictedKernels& predicted = row.predicted;
    out += fmt::format("  {:<22}{:>11}{:>11}{:>11}{:>12}{:>10}\n", name,
                       time_or_none(predicted.seconds, predicted.calls > 0),
                       time_or_none(predicted.waiting_s, predicted.waiting_s > 0),
                       time_or_none(row.measured_s, row.measured_calls > 0),
                       difference(predicted.seconds, row.measured_s),
                       error_text(predicted.seconds, row.measured_s));
  }
  return out;
}

std::string counts_text(const std::vector<NamedRow>& rows) {
  std::string out = fmt::format("  {:<22}{:>11}{:>22}\n", "", "predicted", "measured");
  for (const auto& [name, row] : rows)
    out += fmt::format("  {:<22}{:>11}{:>22}\n", name,
                       count_text(static_cast<double>(row.predicted.calls)),
                       count_text(row.measured_calls));
  return out;
}

void add_to(KernelRow& sum, const KernelRow& row) {
  sum.predicted.calls += row.predicted.calls;
  sum.predicted.seconds += row.predicted.seconds;
  sum.predicted.waiting_s += row.predicted.waiting_s;
  sum.measured_calls += row.measured_calls;
  sum.measured_s += row.measured_s;
}

/// Groups of kinds, each before its kinds, and their sum.
std::vector<NamedRow> kernel_rows(const ProfileComparison& comparison) {
  std::vector<NamedRow> result;
  KernelRow all;
  for (const KindGroup& group : kGroups) {
    std::vector<NamedRow> kinds;
    KernelRow sum;
    for (const KernelRow& row : comparison.kernels) {
      if (!group.holds(row.kind)) continue;
      kinds.push_back({fmt::format("  {}", name_of(row.kind)), row});
      add_to(sum, row);
    }
    if (kinds.empty()) continue;
    add_to(all, sum);
    result.push_back({std::string(group.name), sum});
    if (group.first != group.last) result.insert(result.end(), kinds.begin(), kinds.end());
  }
  result.push_back({"sum", all});
  return result;
}

void add_kernels(std::string& out, const ProfileComparison& comparison) {
  const std::vector<NamedRow> rows = kernel_rows(comparison);
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

std::string_view verdict(const CallRow& row) {
  if (row.predicted == row.logged) return "";
  if (row.logged == 0) return "missing";
  if (row.predicted == 0) return "extra";
  return row.logged < row.predicted ? "fewer" : "more";
}

struct CallSums {
  std::int64_t predicted = 0;
  std::int64_t logged = 0;
  double predicted_bytes = 0;
  double logged_bytes = 0;
  std::size_t alike = 0;
};

CallSums sums_of(const std::vector<CallRow>& rows) {
  CallSums sums;
  for (const CallRow& row : rows) {
    sums.predicted += row.predicted;
    sums.logged += row.logged;
    sums.predicted_bytes += row.bytes(row.predicted);
    sums.logged_bytes += row.bytes(row.logged);
    if (row.predicted == row.logged) ++sums.alike;
  }
  return sums;
}

void add_calls(std::string& out, const ProfileComparison& comparison) {
  const CallSums sums = sums_of(comparison.calls);
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
    const bool shown = verdict(row).empty() ? ++alike <= kShownAlike : ++other <= kShownOther;
    if (!shown) continue;
    const std::string line =
        fmt::format("  {:<14}{:>5} {:<11}{:>10}{:>11}{:>10}{:>8} {}", name_of(row.shape.function),
                    row.shape.ranks > 0 ? fmt::format("{}", row.shape.ranks) : "-", row.type().name,
                    row.shape.count, call_size(Bytes(std::llround(row.bytes(1)))), row.predicted,
                    row.logged, verdict(row));
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (alike > kShownAlike)
    out += fmt::format("  and {} kinds more, all as predicted\n", alike - kShownAlike);
  if (other > kShownOther)
    out += fmt::format("  {} more differ; --format json has all\n", other - kShownOther);
}

/// Whether two processes of a log have the same tables.
bool same_tables(const ProfileComparison& one, const ProfileComparison& other) {
  const auto same = [](const CallRow& a, const CallRow& b) {
    return a.shape == b.shape && a.predicted == b.predicted && a.logged == b.logged;
  };
  return !one.process.empty() && !other.process.empty() && one.steps == other.steps &&
         std::equal(one.calls.begin(), one.calls.end(), other.calls.begin(), other.calls.end(),
                    same);
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
      const auto same = std::find_if(printed.begin(), printed.end(), [&](const auto* one) {
        return same_tables(*one, comparison);
      });
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
