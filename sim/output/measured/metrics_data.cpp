#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/csv_cells.h"
#include "sim/output/measured/metrics_report.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const std::optional<Statistics>& value) {
  if (!value) return nullptr;
  return {{"mean", value->mean},
          {"std", json_of(value->std)},
          {"min", value->min},
          {"max", value->max}};
}

/// A value and where it comes from.
template <class T, class Value>
void add_input(ordered_json& json, const char* key, const RunFacts::Fact<T>& fact, Value value) {
  if (fact) json[key] = {{"value", value(fact->value)}, {"source", fact->source}};
}

ordered_json inputs_json(const RunFacts& facts) {
  auto json = ordered_json::object();
  const auto number = [](double value) { return value; };
  const auto name = [](auto value) { return std::string(name_of(value)); };
  const auto named = [](const auto& spec) { return spec.name; };
  add_input(json, "gpus", facts.gpus, number);
  add_input(json, "global_batch_size", facts.global_batch_size, number);
  add_input(json, "seq_length", facts.seq_length, number);
  add_input(json, "precision", facts.precision, name);
  add_input(json, "gpu", facts.gpu, named);
  add_input(json, "model", facts.model, named);
  add_input(json, "model_flops_per_sample", facts.flops_per_sample, number);
  add_input(json, "peak_tflops_per_gpu", facts.peak_tflops, number);
  add_input(json, "mfu_convention", facts.convention, name);
  return json;
}

ordered_json missed_json(const MissedWindow& missed) {
  return {{"first", missed.window.first},
          {"last", missed.window.last},
          {"steps_held", missed.held},
          {"warm_up_steps", missed.warm_up}};
}

ordered_json window_json(const MeasuredRun& run) {
  const StepWindow& window = run.window;
  const bool endless = window.last == StepWindow::kNoEnd;
  return {{"first", window.newest > 0 ? ordered_json(nullptr) : ordered_json(window.first)},
          {"last", endless ? ordered_json(nullptr) : ordered_json(window.last)},
          {"newest", window.newest > 0 ? ordered_json(window.newest) : ordered_json(nullptr)},
          {"deviation", window.deviation == DeviationKind::sample ? "sample" : "population"},
          {"last_step_instead", run.missed && run.steps.size() == 1},
          {"tool", run.tool.empty() ? ordered_json(nullptr) : ordered_json(run.tool)},
          {"in_place_of", run.missed ? missed_json(*run.missed) : ordered_json(nullptr)},
          {"text", window_text(run)}};
}

ordered_json log_json(const MeasuredRun& run) {
  auto reasons = ordered_json::object();
  for (const auto& [why, count] : run.skipped.reasons) reasons[why] = count;
  auto named = ordered_json::array();
  for (const SkippedLine& line : run.skipped.named)
    named.push_back({{"line", line.line}, {"why", line.why}});
  return {{"lines", run.lines},
          {"bytes", run.bytes},
          {"steps", run.steps_seen},
          {"first_step", run.steps_seen > 0 ? ordered_json(run.first_step) : ordered_json(nullptr)},
          {"last_step", run.steps_seen > 0 ? ordered_json(run.last_step) : ordered_json(nullptr)},
          {"skipped", {{"count", run.skipped.count}, {"reasons", reasons}, {"first", named}}},
          {"repeated_steps", run.repeated.count},
          {"largest_repeat_difference", run.repeated.largest_difference}};
}

ordered_json steps_json(const MeasuredRun& run) {
  auto steps = ordered_json::array();
  for (const MeasuredStep& step : run.steps) {
    ordered_json json{{"step", step.number}, {"step_time_s", step.seconds}};
    if (std::isfinite(step.tflops)) json["tflops_per_gpu"] = step.tflops;
    if (std::isfinite(step.loss)) json["loss"] = step.loss;
    steps.push_back(std::move(json));
  }
  return steps;
}

ordered_json run_json(const MeasuredReport& report) {
  const RunMetrics& metrics = report.metrics;
  const MeasuredRun& run = report.run;
  ordered_json json{
      {"name", report.name},
      {"path", run.path},
      {"format", run.format.empty() ? ordered_json(nullptr) : ordered_json(run.format)},
      {"status", name_of(metrics.status)},
      {"why", metrics.why},
      {"window", window_json(run)}};
  json["step_time_s"] = json_of(metrics.step_time_s);
  json["logged_tflops_per_gpu"] = json_of(metrics.logged_tflops);
  json["tokens_per_s"] = json_of(metrics.tokens_per_s);
  json["tokens_per_s_per_gpu"] = json_of(metrics.tokens_per_s_per_gpu);
  json["tflops_per_gpu"] = json_of(metrics.tflops_per_gpu);
  json["mfu"] = json_of(metrics.mfu);
  json["mfu_convention"] =
      metrics.tflops_per_gpu ? std::string(name_of(metrics.convention)) : "logged";
  json["days_per_1t_tokens"] = json_of(metrics.days_per_1t_tokens);
  json["model_flops_per_sample"] = json_of(metrics.flops_per_sample);
  json["peak_tflops_per_gpu"] = json_of(metrics.peak_tflops_per_gpu);
  json["peak_memory_bytes"] = json_of(run.facts.peak_memory_bytes);
  json["inputs"] = inputs_json(report.facts.facts);
  json["contradictions"] = report.facts.contradictions;
  json["missing"] = metrics.missing;
  json["log"] = log_json(run);
  json["steps"] = steps_json(run);
  return json;
}

std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

template <class T>
std::optional<double> known(const RunFacts::Fact<T>& fact) {
  return fact ? std::optional<double>(fact->value) : std::nullopt;
}

}  // namespace

std::string metrics_json(const std::vector<MeasuredReport>& reports) {
  auto runs = ordered_json::array();
  for (const MeasuredReport& report : reports) runs.push_back(run_json(report));
  return json_text({{"schema", "simtrain.metrics/1"}, {"runs", std::move(runs)}});
}

std::string metrics_csv(const std::vector<MeasuredReport>& reports) {
  std::string out =
      "name,path,format,status,steps,step_time_s,step_time_std_s,step_time_min_s,step_time_max_s,"
      "logged_tflops_per_gpu,logged_tflops_std,tokens_per_s,tflops_per_gpu,mfu,mfu_convention,"
      "days_per_1t_tokens,gpus,global_batch_size,seq_length,skipped_lines,"
      "window\n";
  for (const MeasuredReport& report : reports) {
    const RunMetrics& m = report.metrics;
    const RunFacts& facts = report.facts.facts;
    out += fmt::format("{},{},{},{},{}", csv_quoted(report.name), csv_quoted(report.run.path),
                       report.run.format, name_of(m.status), report.run.steps.size());
    const auto& time = m.step_time_s;
    const auto least = time ? std::optional(time->min) : std::nullopt;
    const auto most = time ? std::optional(time->max) : std::nullopt;
    for (const auto& value : {mean_of(time), deviation_of(time), least, most})
      out += "," + csv_number(value);
    for (const auto& value : {mean_of(m.logged_tflops), deviation_of(m.logged_tflops),
                              m.tokens_per_s, m.tflops_per_gpu, m.mfu})
      out += "," + csv_number(value);
    const std::string_view how = m.tflops_per_gpu ? name_of(m.convention) : "logged";
    out += fmt::format(",{}", m.mfu ? how : "");
    for (const auto& value : {m.days_per_1t_tokens, known(facts.gpus),
                              known(facts.global_batch_size), known(facts.seq_length)})
      out += "," + csv_number(value);
    out += fmt::format(",{},{}\n", report.run.skipped.count, csv_quoted(window_text(report.run)));
  }
  return out;
}

}  // namespace simtrain
