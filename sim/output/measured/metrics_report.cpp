#include "sim/output/measured/metrics_report.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

std::string_view window_name(const StepWindow& window) {
  return window.deviation == DeviationKind::sample ? "of the sample" : "of the population";
}

void add_step_time(std::string& out, const Statistics& time, const MeasuredRun& run) {
  if (!time.std) {
    labelled_line(out, "Step time", seconds_text(time.mean) + ", of one step");
    return;
  }
  labelled_line(out, "Step time",
                fmt::format("{}, from {} to {}", seconds_text(time.mean), seconds_text(time.min),
                            seconds_text(time.max)));
  labelled_line(out, "Std",
                fmt::format("{} ({:.2f} %), {}", seconds_text(*time.std),
                            *time.std / time.mean * 100, window_name(run.window)));
}

void add_figures(std::string& out, const RunMetrics& metrics, const MeasuredRun& run) {
  add_step_time(out, *metrics.step_time_s, run);
  if (metrics.tokens_per_s) {
    std::string text = fmt::format("{:.0f} tokens/s", *metrics.tokens_per_s);
    if (metrics.tokens_per_s_per_gpu)
      text += fmt::format(", {:.1f} tokens/s per GPU", *metrics.tokens_per_s_per_gpu);
    labelled_line(out, "Throughput", text);
  }
  if (metrics.logged_tflops) {
    const Statistics& logged = *metrics.logged_tflops;
    labelled_line(out, "Per GPU, as logged",
                  fmt::format(" {:.2f} TFLOP/s{}", logged.mean,
                              logged.std ? fmt::format(", std {:.2f} TFLOP/s", *logged.std) : ""));
  }
  if (metrics.tflops_per_gpu) {
    std::string text = fmt::format("{:.2f} TFLOP/s", *metrics.tflops_per_gpu);
    if (metrics.peak_tflops_per_gpu)
      text += fmt::format(" of {:.0f} TFLOP/s", *metrics.peak_tflops_per_gpu);
    labelled_line(out, "Per GPU", text);
  }
  if (metrics.mfu) {
    const std::string_view how =
        metrics.tflops_per_gpu ? name_of(metrics.convention) : "from the TFLOP/s of the log";
    labelled_line(out, "MFU", fmt::format("{:.2f} % ({})", *metrics.mfu * 100, how));
  }
  if (metrics.days_per_1t_tokens)
    labelled_line(out, "1T tokens in", fmt::format("{:.2f} days", *metrics.days_per_1t_tokens));
  if (run.facts.peak_memory_bytes)
    labelled_line(out, "Peak memory", fmt::format("{:.1f} GB", *run.facts.peak_memory_bytes / 1e9));
}

void add_origins(std::string& out, const RunFacts& facts) {
  const std::vector<InputOrigin> origins = input_origins(facts);
  if (!origins.empty()) out += "\nWhere the inputs come from\n";
  for (const auto& [label, value, source] : origins)
    labelled_line(out, label, printable(fmt::format("{} ({})", value, source)));
}

void add_list(std::string& out, std::string_view title, const std::vector<std::string>& rows) {
  if (rows.empty()) return;
  out += fmt::format("\n{}\n", title);
  for (const std::string& row : rows) out += wrapped_line(printable(row));
}

/// What a table has no room for: why a run is no success, which lines were skipped.
std::string remarks(const std::vector<MeasuredReport>& reports) {
  std::string out;
  for (const MeasuredReport& report : reports) {
    const std::string skipped = skipped_text(report.run);
    if (report.metrics.why.empty() && skipped.empty()) continue;
    out += fmt::format("\n{}: {}{}\n{}", report.run.path, name_of(report.metrics.status),
                       report.metrics.why.empty() ? "" : ", " + report.metrics.why, skipped);
  }
  return out;
}

}  // namespace

std::vector<InputOrigin> input_origins(const RunFacts& facts) {
  std::vector<InputOrigin> rows;
  const auto number = [&](const char* label, const RunFacts::Fact<double>& fact, const char* unit) {
    if (fact) rows.push_back({label, fmt::format("{} {}", fact->value, unit), fact->source});
  };
  const auto word = [&](const char* label, const auto& fact, const auto& name) {
    if (fact) rows.push_back({label, std::string(name(fact->value)), fact->source});
  };
  const auto by_row = [](const auto value) { return name_of(value); };
  const auto by_file = [](const auto& spec) { return spec.name; };
  number("Job", facts.gpus, "GPUs");
  number("Global batch", facts.global_batch_size, "samples");
  number("Sequence", facts.seq_length, "tokens");
  word("Precision", facts.precision, by_row);
  word("GPU", facts.gpu, by_file);
  word("Model", facts.model, by_file);
  number("Work of a sample", facts.flops_per_sample, "FLOP");
  number("Peak", facts.peak_tflops, "TFLOP/s");
  word("MFU convention", facts.convention, by_row);
  return rows;
}

std::string steps_text(const MeasuredRun& run) {
  const std::string held = run.first_step == run.last_step
                               ? fmt::format("step {}", run.first_step)
                               : fmt::format("steps {} to {}", run.first_step, run.last_step);
  return fmt::format("{} of {}; the log has {}", run.steps.size(), run.steps_seen, held);
}

std::string skipped_text(const SkippedLines& skipped, std::int64_t lines, std::string_view unit) {
  std::string out;
  if (skipped.count == 0) return out;
  out += fmt::format("Skipped {} of {} {}\n", skipped.count, lines, unit);
  for (const SkippedLine& line : skipped.named)
    out += wrapped_line(fmt::format("line {}: {}", line.line, printable(line.why)));
  const auto named = static_cast<std::int64_t>(skipped.named.size());
  if (skipped.count > named) {
    out += fmt::format("  and {} more; in all\n", skipped.count - named);
    for (const auto& [why, count] : skipped.reasons)
      out += fmt::format("  {:>8}  {}\n", count, wrapped(printable(why), 12));
  }
  return out;
}

std::string skipped_text(const MeasuredRun& run) {
  std::string out = skipped_text(run.skipped, run.lines);
  if (run.repeated.count > 0) {
    out += wrapped_line(
        fmt::format("Steps occur again {} times in the window, with times up to {:.2f} % "
                    "apart; the last counts",
                    run.repeated.count, run.repeated.largest_difference * 100),
        0);
  }
  return out;
}

std::string metrics_text(const MeasuredReport& report) {
  const MeasuredRun& run = report.run;
  std::string out = printable(report.name) + "\n\n";
  labelled_line(out, "Log", printable(run.path));
  labelled_line(out, "Format", run.format.empty() ? "not known" : run.format);
  const std::string why = report.metrics.why.empty() ? "" : ": " + report.metrics.why;
  labelled_line(out, "Status", fmt::format("{}{}", name_of(report.metrics.status), why));
  if (run.steps_seen > 0) {
    labelled_line(out, "Steps", steps_text(run));
    labelled_line(out, "Window", window_text(run));
  }
  if (report.metrics.step_time_s) {
    out += "\n";
    add_figures(out, report.metrics, run);
    add_origins(out, report.facts.facts);
    add_list(out, "Sources that disagree", report.facts.contradictions);
    add_list(out, "What is missing", report.metrics.missing);
  }
  const std::string skipped = skipped_text(run);
  if (!skipped.empty()) out += "\n" + skipped;
  return out;
}

std::string metrics_table(const std::vector<MeasuredReport>& reports, bool full_names) {
  constexpr std::size_t kName = 90;
  std::size_t width = kName;
  if (full_names) {
    for (const MeasuredReport& report : reports) width = std::max(width, report.name.size());
  }
  const StepWindow window = reports.front().run.window;
  const bool same = std::all_of(reports.begin(), reports.end(), [&](const MeasuredReport& report) {
    return describe(report.run.window) == describe(window);
  });
  std::string out = "Train Step Timing and TFLOPS Analysis";
  if (same && window.last != StepWindow::kNoEnd)
    out += fmt::format(" (iterations {}-{})", window.first, window.last);
  else if (same)
    out += fmt::format(" ({})", describe(window));
  // The script's headings are one column left of what they head.
  constexpr std::array<std::size_t, 5> kWidths{8, 13, 12, 19, 18};
  out += "\n" + std::string(80, '=') + "\n";
  out +=
      fmt::format("{:<{}} {:>8} {:>13} {:>12} {:>19} {:>18}\n", "Experiment", width - 1, "Status",
                  "Time Mean (s)", "Time Std (s)", "TFLOPS_per_GPU Mean", "TFLOPS_per_GPU Std");
  out += std::string(width, '-');
  for (const std::size_t column : kWidths) out += " " + std::string(column, '-');
  out += "\n";
  for (const MeasuredReport& report : reports) {
    const RunMetrics& metrics = report.metrics;
    const auto cell = [](const std::optional<double>& value, int digits) {
      return value ? fmt::format("{:.{}f}", *value, digits) : std::string("N/A");
    };
    out += fmt::format(
        "{:<{}} {:>8} {:>13} {:>12} {:>19} {:>18}\n", shortened(printable(report.name), width),
        width, name_of(metrics.status), cell(mean_of(metrics.step_time_s), 3),
        cell(deviation_of(metrics.step_time_s), 3), cell(mean_of(metrics.logged_tflops), 2),
        cell(deviation_of(metrics.logged_tflops), 2));
  }
  if (same) return out;
  out += "\nWindows\n";
  for (const MeasuredReport& report : reports)
    out += wrapped_line(fmt::format("{}: {}", printable(report.name), window_text(report.run)));
  return out + remarks(reports);
}

std::string training_metrics_text(const TrainingMetrics& metrics) {
  return fmt::format("Average step time: {:.8f}\nTFLOPS/Accelerator: {:.8f}\nMFU: {:.8f}\n",
                     metrics.average_step_time_s, metrics.tflops_per_accelerator, metrics.mfu);
}

}  // namespace simtrain
