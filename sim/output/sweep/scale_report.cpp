#include "sim/output/sweep/scale_report.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// A number with the largest of the suffixes that leaves it at 1 or more.
std::string with_magnitude(double number, const char* format,
                           const std::array<std::pair<double, const char*>, 4>& suffixes) {
  for (const auto& [unit, suffix] : suffixes) {
    if (number >= unit) return fmt::format(fmt::runtime(format), number / unit) + suffix;
  }
  return fmt::format(fmt::runtime(format), number);
}

std::string row_text(const ScaleHead& head, const ScaleRow& row) {
  if (!row.report)
    return fmt::format("{:>6}  {}\n", row.gpus, wrapped("illegal: " + printable(row.refusal), 8));
  const Report& report = *row.report;
  const TrainingRun run = training_run(report, head.tokens, head.usd_per_gpu_hour);
  std::string out =
      fmt::format("{:>6} {:>6} {:>8.3f} s {:>9.0f}{:>6.2f} %{:>9.1f} %{:>7.1f}{:>10.0f}", row.gpus,
                  row.global_batch, report.step_time_s, report.tokens_per_s, report.mfu * 100,
                  row.efficiency * 100, run.days, run.gpu_hours);
  if (run.usd) out += fmt::format("{:>10}", usd_text(*run.usd));
  return out + (report.fits() ? "\n" : "\n        does not fit in memory\n");
}

Json size_json(const ScaleHead& head, const ScaleRow& row) {
  Json json{{"gpus", row.gpus}};
  if (!row.report) {
    json["illegal"] = row.refusal;
    return json;
  }
  const Report& report = *row.report;
  const TrainingRun run = training_run(report, head.tokens, head.usd_per_gpu_hour);
  json["global_batch_size"] = row.global_batch;
  json["step_time_s"] = report.step_time_s;
  json["tokens_per_s"] = report.tokens_per_s;
  json["tflops_per_gpu"] = report.tflops_per_gpu;
  json["mfu"] = report.mfu;
  json["efficiency"] = row.efficiency;
  json["fits"] = report.fits();
  json["days"] = run.days;
  json["gpu_hours"] = run.gpu_hours;
  if (run.usd) json["cost_usd"] = *run.usd;
  json["joules_per_token"] = report.energy.joules_per_token();
  if (report.energy.priced()) json["usd_per_1t_tokens"] = report.energy.usd_per_1t_tokens();
  json["breakdown_s"] = breakdown_json(report);
  return json;
}

}  // namespace

std::string token_text(double tokens) {
  return with_magnitude(tokens, "{:.4g}", {{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}}});
}

std::string usd_text(double usd) {
  return "$ " +
         with_magnitude(usd, "{:.2f}", {{{1e12, " T"}, {1e9, " B"}, {1e6, " M"}, {1e3, " k"}}});
}

std::string scale_text(const ScaleHead& head, const std::vector<ScaleRow>& rows) {
  std::string how = fmt::format("{} scaling: {}; {} tokens", name_of(head.mode),
                                head.mode == Scaling::weak ? "the global batch grows with the GPUs"
                                                           : "the global batch stays",
                                token_text(head.tokens));
  if (head.usd_per_gpu_hour) how += fmt::format(" at $ {:g} per GPU hour", *head.usd_per_gpu_hour);
  std::string out = wrapped(printable(head.scenario), 0) + "\n" + changes_text(head.changes) +
                    wrapped_line(how, 0);
  out += fmt::format("\n{:>6}{:>7}{:>11}{:>10}{:>8}{:>11}{:>7}{:>10}", "GPUs", "batch", "step time",
                     "tokens/s", "MFU", "efficiency", "days", "GPU hours");
  out += head.usd_per_gpu_hour ? "      cost\n" : "\n";
  for (const ScaleRow& row : rows) out += row_text(head, row);
  return out;
}

std::string scale_json(const ScaleHead& head, const std::vector<ScaleRow>& rows) {
  Json sizes = Json::array();
  for (const ScaleRow& row : rows) sizes.push_back(size_json(head, row));
  Json json{{"schema", "simtrain.scale/1"},
            {"scenario", head.scenario},
            {"mode", name_of(head.mode)},
            {"tokens", head.tokens}};
  add_changes(json, head.changes);
  if (head.usd_per_gpu_hour) json["usd_per_gpu_hour"] = *head.usd_per_gpu_hour;
  json["sizes"] = std::move(sizes);
  return json_text(json);
}

}  // namespace simtrain
