#include "sim/output/comparison_report.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/output/text_report.h"
#include "sim/output/wrapped_text.h"

namespace simtrain {
namespace {

double memory_share(const Report& report, const MeasuredRun& run) {
  return run.facts.peak_memory_bytes.value_or(0) / report.memory_capacity;
}

void add_explanations(std::string& out, const Comparison& comparison) {
  out += "\nWhat could explain it, each alone\n";
  out += fmt::format("  {:<22}{:>11}{:>11}{:>10}{:>12} {}\n", "share", "predicted", "needed",
                     "factor", "std errors", "verdict");
  for (const GapExplanation& e : comparison.explanations) {
    out += fmt::format("  {:<22}{:>9.3f} s{:>9.3f} s{:>10.3g}{:>12.3g} {}\n", name_of(e.share),
                       e.predicted_s, e.needed_s, e.needed_s / e.predicted_s, e.deviations,
                       name_of(e.plausibility));
    if (e.needed_s < 0) {
      out += "    more than all of it\n";
    } else if (e.most_s && e.needed_s > *e.most_s) {
      out += fmt::format("    {:.3f} s with nothing hidden\n", *e.most_s);
    }
  }
}

/// What the log itself says about a slow run.
void add_signs(std::string& out, const Comparison& comparison, const Report& report,
               const MeasuredRun& run) {
  if (run.steps.size() < 2 && !run.facts.peak_memory_bytes) return;
  out += "\nSigns in the log\n";
  if (run.steps.size() > 1) {
    out += wrapped_line(fmt::format(
        "Jitter from step to step: std {:.2f} % of the mean; the median step takes {:.3f} s",
        comparison.measured_s.std / comparison.measured_s.mean * 100, comparison.median_s));
  }
  if (run.facts.peak_memory_bytes) {
    out += wrapped_line(
        fmt::format("Memory pressure: peak {:.1f} GB, predicted {:.1f} GB, {:.0f} % of the GPU's",
                    *run.facts.peak_memory_bytes / 1e9, report.peak_bytes() / 1e9,
                    memory_share(report, run) * 100));
  }
}

/// A line a run, and how far the predictions are from all of them.
std::string runs_table(const std::vector<ComparedRun>& runs) {
  constexpr std::size_t kNameWidth = 29;
  std::string out = fmt::format("{:<30}{:>12}{:>12}{:>11}  {}\n", "run", "predicted", "measured",
                                "gap", "90 % interval");
  for (const ComparedRun& run : runs) {
    const Comparison& c = run.comparison;
    out += fmt::format("{:<30}{:>10.3f} s{:>10.3f} s {:>+8.2f} %  {}\n",
                       shortened(printable(run.measured.name), kNameWidth), c.predicted_s,
                       c.measured_s.mean, c.gap_s / c.predicted_s * 100,
                       c.inside() ? "inside" : "outside");
    for (const std::string& caveat : caveats_of(run))
      out += "    " + wrapped(printable(caveat), 4) + "\n";
  }
  const GapSummary all = summarize_gaps(runs);
  return out + fmt::format("{} runs: mean absolute gap {:.2f} %, mean gap {:+.2f} %, {} inside\n",
                           runs.size(), all.mean_absolute * 100, all.mean * 100, all.inside);
}

std::string causes_text(const CommonCauses& causes) {
  std::string out = "\nWhich one number of hardware/ would explain them all\n";
  if (!causes.needed) {
    return out + fmt::format(
                     "  None is needed: no plan is further off than equal runs differ, {:.2f} %.\n",
                     gap_of(causes.noise) * 100);
  }
  out += fmt::format(
      "  {} numbers tried, {} of them without effect on these runs. Gaps now: {:.2f} %\n"
      "  (root mean square). A plan counts as explained within {:.2f} %, run to run.\n",
      causes.tried, causes.without_effect, gap_of(causes.before) * 100, gap_of(causes.noise) * 100);
  if (causes.causes.empty()) out += "  None of them alone takes a tenth of the gaps away.\n";
  int rank = 0;
  for (const CommonCause& cause : causes.causes) {
    const std::string effect = fmt::format(
        "{}: gaps {:.2f} %, {}", printable(change_of_cause(cause)), gap_of(cause.left) * 100,
        cause.explains ? "explains all" : "does not explain all");
    out += fmt::format("\n  {:>2}. {}\n      {}\n", ++rank,
                       wrapped(printable(name_of_cause(cause)), 6), wrapped(effect, 6));
    if (cause.at_end) out += "      more of it would help, but is out of the range looked at\n";
  }
  return out;
}

}  // namespace

std::vector<std::string> caveats_of(const ComparedRun& run) {
  const MeasuredReport& measured = run.measured;
  std::vector<std::string> caveats;
  if (measured.metrics.status != RunStatus::success)
    caveats.push_back(
        fmt::format("{}: {}", name_of(measured.metrics.status), measured.metrics.why));
  for (const std::string& text : measured.facts.contradictions)
    caveats.push_back("Disagree: " + text);
  if (measured.run.skipped.count > 0)
    caveats.push_back(
        fmt::format("skipped lines: {} of {}", measured.run.skipped.count, measured.run.lines));
  return caveats;
}

GapSummary summarize_gaps(const std::vector<ComparedRun>& runs) {
  GapSummary summary;
  const auto count = static_cast<double>(runs.size());
  for (const ComparedRun& run : runs) {
    const double gap = run.comparison.gap_s / run.comparison.predicted_s;
    summary.mean_absolute += std::abs(gap) / count;
    summary.mean += gap / count;
    summary.inside += run.comparison.inside() ? 1 : 0;
  }
  return summary;
}

double gap_of(double logarithm) { return std::expm1(logarithm); }

std::string name_of_cause(const CommonCause& cause) {
  return fmt::format("{} {}", cause.file, cause.key);
}

std::string change_of_cause(const CommonCause& cause) {
  const std::string unit = cause.unit.empty() ? "" : " " + cause.unit;
  return fmt::format("{:.6g}{} -> {:.4g}{} (x {:.3f})", cause.value, unit, cause.needed, unit,
                     cause.needed / cause.value);
}

std::string comparison_text(const ComparedRun& compared) {
  const auto& [measured, report, comparison] = compared;
  const MeasuredRun& run = measured.run;
  std::string out = fmt::format("{}\nagainst {}\n\n", wrapped(printable(report.scenario), 0),
                                printable(run.path));
  const auto row = [&](std::string_view label, const std::string& text) {
    labelled_line(out, label, text);
  };
  row("Predicted", fmt::format("{:.3f} s, 90 % interval {:.3f} to {:.3f} s", comparison.predicted_s,
                               comparison.interval.low, comparison.interval.high));
  row("Measured", fmt::format("{:.3f} s, mean of {} {}, std {:.3f} s", comparison.measured_s.mean,
                              run.steps.size(), run.steps.size() == 1 ? "step" : "steps",
                              comparison.measured_s.std));
  row("Status", fmt::format("{}{}", name_of(measured.metrics.status),
                            measured.metrics.why.empty() ? "" : ", " + measured.metrics.why));
  row("Gap", fmt::format("{:+.3f} s, {:+.2f} % of the prediction: {} the interval",
                         comparison.gap_s, comparison.gap_s / comparison.predicted_s * 100,
                         comparison.inside() ? "inside" : "outside"));
  for (const std::string& text : measured.facts.contradictions) row("Disagree", printable(text));
  add_explanations(out, comparison);
  add_signs(out, comparison, report, run);
  const std::string skipped = skipped_text(run);
  if (!skipped.empty()) out += "\n" + skipped;
  return out;
}

std::string comparisons_text(const std::vector<ComparedRun>& runs,
                             const std::optional<CommonCauses>& causes) {
  std::string out = runs_table(runs);
  if (causes) return out + causes_text(*causes);
  return out +
         "\nRuns of one plan cannot tell which number of hardware/ is wrong; whole logs of "
         "several\n"
         "plans on the same cluster can.\n";
}

}  // namespace simtrain
