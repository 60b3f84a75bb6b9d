#include "sim/output/measured/comparison_report.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

constexpr std::string_view kErrors = "Errors are predicted over measured step time, less one.";

double memory_share(const Report& report, const MeasuredRun& run) {
  return run.facts.peak_memory_bytes.value_or(0) / report.memory_capacity;
}

void add_explanations(std::string& out, const Comparison& comparison) {
  out += "\nWhat could explain it, each alone\n";
  out += fmt::format("  {:<22}{:>12}{:>12}{:>10}{:>11} {}\n", "share", "predicted", "needed",
                     "factor", "std errors", "verdict");
  for (const GapExplanation& e : comparison.explanations) {
    out += fmt::format("  {:<22}{:>12}{:>12}{:>10.3g}{:>11.3g} {}\n", name_of(e.share),
                       seconds_text(e.predicted_s), seconds_text(e.needed_s),
                       e.needed_s / e.predicted_s, e.deviations, name_of(e.plausibility));
    if (e.needed_s < 0) {
      out += "    more than all of it\n";
    } else if (e.most_s && e.needed_s > *e.most_s) {
      out += fmt::format("    {} with nothing hidden\n", seconds_text(*e.most_s));
    }
  }
}

/// Signs of a slow run in the log itself.
void add_signs(std::string& out, const Comparison& comparison, const Report& report,
               const MeasuredRun& run) {
  if (run.steps.size() < 2 && !run.facts.peak_memory_bytes) return;
  out += "\nSigns in the log\n";
  if (comparison.measured_s.std) {
    out += wrapped_line(
        fmt::format("Jitter from step to step: std {:.2f} % of the mean; the median step takes {}",
                    *comparison.measured_s.std / comparison.measured_s.mean * 100,
                    seconds_text(comparison.median_s)));
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
  std::string out = std::string(kErrors) + "\n\n";
  out += fmt::format("{:<30}{:>12}{:>12}{:>11}  {}\n", "run", "predicted", "measured", "error",
                     "90 % interval");
  for (const ComparedRun& run : runs) {
    const Comparison& c = run.comparison;
    out += fmt::format("{:<30}{:>12}{:>12} {:>+8.2f} %  {}\n",
                       shortened(printable(run.measured.name), kNameWidth),
                       seconds_text(c.predicted_s), seconds_text(c.measured_s.mean),
                       c.error() * 100, c.inside() ? "inside" : "outside");
    for (const std::string& caveat : caveats_of(run))
      out += "    " + wrapped(printable(caveat), 4) + "\n";
  }
  const ComparedErrors all = summarize_errors(runs);
  return out + fmt::format("{} runs: mean absolute error {:.2f} %, bias {:+.2f} %, {} inside\n",
                           runs.size(), all.mean_absolute * 100, all.mean * 100, all.inside);
}

/// Nothing where no error is larger than what equal runs differ by.
std::string stacks_text(const OtherStacks& stacks) {
  if (!stacks.needed) return "";
  std::string out = "\nWith another software stack\n";
  const auto refused = std::count_if(stacks.stacks.begin(), stacks.stacks.end(),
                                     [](const OtherStack& one) { return !one.refusal.empty(); });
  out += wrapped_line(fmt::format(
      "{} stacks of hardware/software simulated in place of the scenario's, {} refused. What "
      "equal runs differ by: {:.2f} %",
      stacks.stacks.size() - static_cast<std::size_t>(refused), refused,
      share_of(stacks.noise) * 100));
  const std::vector<std::string> sentences = stack_sentences(stacks);
  for (const std::string& sentence : sentences) out += wrapped_line(printable(sentence));
  if (sentences.empty()) out += "  None of them takes a tenth of the error away.\n";
  return out;
}

std::string measured_text(const Statistics& measured, std::size_t steps) {
  const std::string mean = seconds_text(measured.mean);
  if (!measured.std) return mean + ", one step";
  return fmt::format("{}, mean of {} steps, std {}", mean, steps, seconds_text(*measured.std));
}

std::string causes_text(const CommonCauses& causes) {
  std::string out = "\nWhich one number of hardware/ would explain them all\n";
  if (!causes.needed) {
    return out + fmt::format(
                     "  None is needed: no plan is further off than equal runs differ, {:.2f} %.\n",
                     share_of(causes.noise) * 100);
  }
  out += fmt::format(
      "  {} numbers tried, {} of them without effect on these runs. Errors now: {:.2f} %\n"
      "  (root mean square). A plan counts as explained within {:.2f} %, run to run.\n",
      causes.tried, causes.without_effect, share_of(causes.before) * 100,
      share_of(causes.noise) * 100);
  if (causes.causes.empty()) out += "  None of them alone takes a tenth of the errors away.\n";
  int rank = 0;
  for (const CommonCause& cause : causes.causes) {
    const std::string effect = fmt::format(
        "{}: errors {:.2f} %, {}", printable(change_of_cause(cause)), share_of(cause.left) * 100,
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

ComparedErrors summarize_errors(const std::vector<ComparedRun>& runs) {
  ComparedErrors summary;
  const auto count = static_cast<double>(runs.size());
  for (const ComparedRun& run : runs) {
    const double error = run.comparison.error();
    summary.mean_absolute += std::abs(error) / count;
    summary.mean += error / count;
    summary.inside += run.comparison.inside() ? 1 : 0;
  }
  return summary;
}

double share_of(double logarithm) { return std::expm1(logarithm); }

std::string name_of_cause(const CommonCause& cause) {
  return fmt::format("{} {}", cause.file, cause.key);
}

std::string change_of_cause(const CommonCause& cause) {
  const std::string unit = cause.unit.empty() ? "" : " " + cause.unit;
  return fmt::format("{:.6g}{} -> {:.4g}{} (x {:.3f})", cause.value, unit, cause.needed, unit,
                     cause.needed / cause.value);
}

std::vector<std::string> stack_sentences(const OtherStacks& stacks) {
  std::vector<std::string> sentences;
  for (const OtherStack& stack : stacks.stacks) {
    if (!stacks.worth_reporting(stack)) continue;
    const bool one = stack.errors.size() == 1;
    const std::string errors =
        one ? fmt::format("{}, error {:+.2f} %", seconds_text(stack.predicted_s.front()),
                          stack.errors.front() * 100)
            : fmt::format("errors {:.2f} %", share_of(stack.left) * 100);
    sentences.push_back(fmt::format("{}: {}, {} {}", stack.name, errors,
                                    stack.explains ? "explains" : "does not explain",
                                    one ? "it" : "all"));
  }
  return sentences;
}

std::string comparison_text(const ComparedRun& compared, const ComparedCauses& causes) {
  const auto& [measured, report, comparison] = compared;
  const MeasuredRun& run = measured.run;
  std::string out = fmt::format("{}\n{}against {}\n\n", wrapped(printable(report.scenario), 0),
                                changes_text(changes_of(report)), printable(run.path));
  const auto row = [&](std::string_view label, const std::string& text) {
    labelled_line(out, label, text);
  };
  row("Predicted",
      fmt::format("{}, 90 % interval {} to {}", seconds_text(comparison.predicted_s),
                  seconds_text(comparison.interval.low), seconds_text(comparison.interval.high)));
  row("Measured", measured_text(comparison.measured_s, run.steps.size()));
  row("Window", window_text(run));
  row("Status", fmt::format("{}{}", name_of(measured.metrics.status),
                            measured.metrics.why.empty() ? "" : ", " + measured.metrics.why));
  row("Error", fmt::format("{:+.2f} %, predicted over measured less one: {} the interval",
                           comparison.error() * 100, comparison.inside() ? "inside" : "outside"));
  for (const std::string& text : measured.facts.contradictions) row("Disagree", printable(text));
  add_explanations(out, comparison);
  if (causes.stacks) out += stacks_text(*causes.stacks);
  add_signs(out, comparison, report, run);
  const std::string skipped = skipped_text(run);
  if (!skipped.empty()) out += "\n" + skipped;
  return out;
}

std::string comparisons_text(const std::vector<ComparedRun>& runs, const ComparedCauses& causes) {
  const std::string stacks = causes.stacks ? stacks_text(*causes.stacks) : "";
  if (causes.numbers) return runs_table(runs) + causes_text(*causes.numbers) + stacks;
  return runs_table(runs) +
         "\nRuns of one plan do not show which number of hardware/ is wrong; whole logs of "
         "several\n"
         "plans on the same cluster can.\n" +
         stacks;
}

}  // namespace simtrain
