#include "sim/output/comparison_report.h"

#include <fmt/format.h>

#include "sim/output/json_parts.h"
#include "sim/output/text_report.h"

namespace simtrain {
namespace {

using nlohmann::ordered_json;

double memory_share(const Report& report, const MeasuredRun& run) {
  return run.facts.peak_memory_bytes.value_or(0) / report.memory_capacity;
}

void add_explanations(std::string& out, const Comparison& comparison) {
  out += "\nWhat could explain it, each alone\n";
  out += fmt::format("  {:<22}{:>12}{:>12}{:>10}{:>12}  {}\n", "share", "predicted", "needed",
                     "factor", "std errors", "verdict");
  for (const GapExplanation& e : comparison.explanations) {
    std::string verdict(name_of(e.plausibility));
    if (e.needed_s < 0) {
      verdict += ": more than all of it";
    } else if (e.most_s && e.needed_s > *e.most_s) {
      verdict += fmt::format(": {:.3f} s with nothing hidden", *e.most_s);
    }
    out +=
        fmt::format("  {:<22}{:>10.3f} s{:>10.3f} s{:>10.4g}{:>12.3g}  {}\n", name_of(e.share),
                    e.predicted_s, e.needed_s, e.needed_s / e.predicted_s, e.deviations, verdict);
  }
}

/// What the log itself says about a slow run.
void add_signs(std::string& out, const Comparison& comparison, const Report& report,
               const MeasuredRun& run) {
  if (run.steps.size() < 2 && !run.facts.peak_memory_bytes) return;
  out += "\nSigns in the log\n";
  if (run.steps.size() > 1) {
    out += fmt::format(
        "  Jitter from step to step: std {:.2f} % of the mean; the median step takes {:.3f} s\n",
        comparison.measured_s.std / comparison.measured_s.mean * 100, comparison.median_s);
  }
  if (run.facts.peak_memory_bytes) {
    out += fmt::format(
        "  Memory pressure: peak {:.1f} GB, predicted {:.1f} GB, {:.0f} % of the "
        "GPU's\n",
        *run.facts.peak_memory_bytes / 1e9, report.peak_bytes() / 1e9,
        memory_share(report, run) * 100);
  }
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const Report& report,
                            const MeasuredReport& measured) {
  const MeasuredRun& run = measured.run;
  std::string out =
      fmt::format("{}\nagainst {}\n\n", printable(report.scenario), printable(run.path));
  const auto row = [&](std::string_view label, const std::string& text) {
    out += fmt::format("  {:<18}{}\n", label, text);
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

std::string comparison_json(const Comparison& comparison, const Report& report,
                            const MeasuredReport& measured) {
  auto explanations = ordered_json::array();
  for (const GapExplanation& e : comparison.explanations) {
    explanations.push_back({{"share", name_of(e.share)},
                            {"predicted_s", e.predicted_s},
                            {"needed_s", e.needed_s},
                            {"standard_error_s", e.error_s},
                            {"most_s", e.most_s ? ordered_json(*e.most_s) : ordered_json(nullptr)},
                            {"standard_errors", e.deviations},
                            {"verdict", name_of(e.plausibility)}});
  }
  auto steps = ordered_json::array();
  for (const MeasuredStep& step : measured.run.steps)
    steps.push_back({{"step", step.number},
                     {"step_time_s", step.seconds},
                     {"gap_s", step.seconds - comparison.predicted_s}});
  const auto& peak = measured.run.facts.peak_memory_bytes;
  return json_text({{"schema", "simtrain.comparison/1"},
                    {"scenario", report.scenario},
                    {"log", measured.run.path},
                    {"status", name_of(measured.metrics.status)},
                    {"predicted_s", comparison.predicted_s},
                    {"interval_90_s", {comparison.interval.low, comparison.interval.high}},
                    {"measured_s",
                     {{"mean", comparison.measured_s.mean},
                      {"std", comparison.measured_s.std},
                      {"min", comparison.measured_s.min},
                      {"max", comparison.measured_s.max},
                      {"median", comparison.median_s}}},
                    {"gap_s", comparison.gap_s},
                    {"inside", comparison.inside()},
                    {"explanations", std::move(explanations)},
                    {"peak_memory_bytes", peak ? ordered_json(*peak) : ordered_json(nullptr)},
                    {"predicted_peak_memory_bytes", report.peak_bytes()},
                    {"contradictions", measured.facts.contradictions},
                    {"skipped_lines", measured.run.skipped.count},
                    {"steps", std::move(steps)}});
}

}  // namespace simtrain
