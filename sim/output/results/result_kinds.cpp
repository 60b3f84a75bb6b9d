#include "sim/output/results/result_kinds.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/invariant.h"
#include "sim/output/text/unit_text.h"
#include "sim/study/nccl/nccl_validation.h"
#include "sim/study/validate/error_summary.h"

namespace simtrain {
namespace {

using ResultJson = nlohmann::json;

std::string text_in(const ResultJson& json, const char* key) {
  return json.at(key).get<std::string>();
}
double number_in(const ResultJson& json, const char* key) { return json.at(key).get<double>(); }

/// A figure that may be null, where it could not be told.
std::optional<double> figure_in(const ResultJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<double>();
}

std::string percent_change(double fraction) { return fmt::format("{:+.1f} %", fraction * 100); }

std::string counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

ResultLine step_line(const ResultJson& result) {
  return {text_in(result, "scenario"), number_in(result.at("step_time_s"), "mean"),
          number_in(result, "mfu"),
          fmt::format("{} GPUs of {}", result.at("gpus").get<std::int64_t>(),
                      text_in(result, "cluster"))};
}

std::vector<ResultLine> result_lines(const ResultJson& json) { return {step_line(json)}; }

std::vector<ResultLine> results_lines(const ResultJson& json) {
  std::vector<ResultLine> lines;
  for (const ResultJson& row : json.at("rows")) lines.push_back(step_line(row.at("result")));
  return lines;
}

std::vector<ResultLine> difference_lines(const ResultJson& json) {
  ResultLine line = step_line(json.at("run"));
  line.says = fmt::format("{:+.3f} s against {}", number_in(json, "change_s"),
                          text_in(json.at("against"), "scenario"));
  return {line};
}

std::string job_says(const ResultJson& job) {
  const ResultJson& summary = job.at("summary");
  return fmt::format("{}, goodput {:.1f} %, {} nodes and {} spare",
                     long_time(number_in(summary.at("elapsed_s"), "mean")),
                     number_in(summary.at("goodput"), "mean") * 100,
                     job.at("nodes").get<std::int64_t>(),
                     job.at("spare_nodes").get<std::int64_t>());
}

std::vector<ResultLine> goodput_lines(const ResultJson& json) {
  return {{text_in(json, "scenario"), number_in(json, "step_time_s"), {}, job_says(json)}};
}

std::vector<ResultLine> job_lines(const ResultJson& json) {
  ResultLine line = step_line(json.at("step"));
  line.says = job_says(json.at("job"));
  return {line};
}

std::vector<ResultLine> share_lines(const ResultJson& json) {
  std::vector<ResultLine> lines;
  for (const ResultJson& job : json.at("jobs")) {
    const double together = number_in(job, "together_s");
    lines.push_back({fmt::format("{}: {}", text_in(json, "name"), text_in(job, "name")),
                     together,
                     {},
                     fmt::format("{} by the other jobs, {} GPUs",
                                 percent_change(together / number_in(job, "alone_s") - 1),
                                 job.at("gpus").get<std::int64_t>())});
  }
  return lines;
}

std::vector<ResultLine> sweep_lines(const ResultJson& json) {
  ResultLine best;
  std::uint64_t fitting = 0;
  for (const ResultJson& row : json.at("rows")) {
    if (row.at("status") != "ok") continue;
    ++fitting;
    const double step = number_in(row, "step_time_s");
    if (best.step_s && *best.step_s <= step) continue;
    best.step_s = step;
    best.mfu = number_in(row, "mfu");
  }
  return {sweep_line(text_in(json, "scenario"), best, fitting,
                     json.at("candidates").get<std::uint64_t>(), json.at("complete").get<bool>())};
}

std::vector<ResultLine> tune_lines(const ResultJson& json) {
  const ResultJson& best = json.at("best");
  const std::string simulated =
      counted(json.at("simulated").get<std::size_t>(), "plan") + " simulated";
  if (best.empty()) return {{text_in(json, "scenario"), {}, {}, "none fits; " + simulated}};
  const ResultJson& plan = best.at(0).at("plan");
  const auto axis = [&](const char* key) { return plan.at(key).get<std::int64_t>(); };
  return {{text_in(json, "scenario"), number_in(best.at(0), "step_time_s"),
           number_in(best.at(0), "mfu"),
           fmt::format("best: TP {}, PP {}, CP {}, micro-batch {}; {}", axis("tp"), axis("pp"),
                       axis("cp"), axis("mbs"), simulated)}};
}

std::vector<ResultLine> front_lines(const ResultJson& json) {
  auto objectives = json.at("objectives").get<std::vector<std::string>>();
  for (std::string& objective : objectives) objective = in_words(objective);
  return {{text_in(json, "scenario"),
           {},
           {},
           fmt::format("{} on the front by {}; {} simulated",
                       counted(json.at("front").size(), "plan"), fmt::join(objectives, ", "),
                       counted(json.at("simulated").get<std::size_t>(), "plan"))}};
}

std::vector<ResultLine> scale_lines(const ResultJson& json) {
  std::vector<ResultLine> lines;
  for (const ResultJson& size : json.at("sizes")) {
    ResultLine line{text_in(json, "scenario"), figure_in(size, "step_time_s"),
                    figure_in(size, "mfu"),
                    fmt::format("{} GPUs", size.at("gpus").get<std::int64_t>())};
    if (const auto efficiency = figure_in(size, "efficiency"))
      line.says += fmt::format(", efficiency {:.1f} %", *efficiency * 100);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ResultLine> metrics_lines(const ResultJson& json) {
  std::vector<ResultLine> lines;
  for (const ResultJson& run : json.at("runs")) {
    ResultLine line{text_in(run, "name"),
                    {},
                    figure_in(run, "mfu"),
                    fmt::format("measured; {}", text_in(run, "status"))};
    if (run.at("step_time_s").is_object()) line.step_s = figure_in(run.at("step_time_s"), "mean");
    lines.push_back(std::move(line));
  }
  return lines;
}

ResultLine comparison_line(const ResultJson& run) {
  ResultLine line{text_in(run, "scenario"), {}, {}, "measured"};
  if (const ResultJson& measured = run.at("measured_s"); measured.is_object())
    line.step_s = figure_in(measured, "mean");
  if (const auto error = figure_in(run, "error"))
    line.says += fmt::format("; prediction {}", percent_change(*error));
  return line;
}

std::vector<ResultLine> comparison_lines(const ResultJson& json) { return {comparison_line(json)}; }

std::vector<ResultLine> comparisons_lines(const ResultJson& json) {
  std::vector<ResultLine> lines;
  for (const ResultJson& run : json.at("runs")) lines.push_back(comparison_line(run));
  return lines;
}

std::vector<ResultLine> profile_lines(const ResultJson& json) {
  const ResultJson& scenario = json.at("scenario");
  std::vector<ResultLine> lines;
  for (const ResultJson& profile : json.at("profiles"))
    lines.push_back({scenario.is_null() ? "" : scenario.get<std::string>(),
                     {},
                     {},
                     fmt::format("{} ({})", text_in(profile, "path"), text_in(profile, "format"))});
  return lines;
}

std::vector<ResultLine> validation_lines(const ResultJson& json) {
  const ResultJson& summary = json.at("summary");
  return {{"",
           {},
           {},
           fmt::format("{}, mean error {:.2f} %, largest {:.2f} %; {} out of bounds",
                       counted(summary.at("rows").get<std::size_t>(), "run"),
                       number_in(summary, "mean_absolute_error") * 100,
                       number_in(summary, "largest_absolute_error") * 100,
                       json.at("broken_bounds").size())}};
}

std::vector<ResultLine> nccl_lines(const ResultJson& json) {
  return {{fmt::format("{} on {} GPUs of {}", in_words(text_in(json, "collective")),
                       json.at("gpus").get<std::int64_t>(), text_in(json, "cluster")),
           {},
           {},
           fmt::format("mean bus bandwidth {:.2f} GB/s",
                       number_in(json, "mean_bus_bandwidth_bytes_per_s") / 1e9)}};
}

std::vector<ResultLine> topology_lines(const ResultJson& json) {
  return {{text_in(json, "cluster"),
           {},
           {},
           fmt::format("{} nodes, {} GPUs", json.at("counts").at("hosts").get<std::int64_t>(),
                       json.at("counts").at("gpus").get<std::int64_t>())}};
}

std::vector<ResultLine> gpu_lines(const ResultJson& json) { return {{text_in(json, "gpu")}}; }
std::vector<ResultLine> machine_lines(const ResultJson& json) {
  return {{text_in(json, "name"), {}, {}, text_in(json, "node")}};
}
std::vector<ResultLine> nccl_validation_lines(const ResultJson& json) {
  std::vector<double> errors;
  for (const ResultJson& point : json.at("points")) {
    if (number_in(point, "bytes") >= kLargeCall) errors.push_back(number_in(point, "error"));
  }
  const std::string said =
      errors.empty() ? ""
                     : fmt::format("{} calls of 1 MiB and more, median absolute error {:.1f} %",
                                   errors.size(), error_summary(errors).median * 100);
  return {{"", {}, {}, said}};
}

std::vector<ResultLine> bare_lines(const ResultJson& /*json*/) { return {{""}}; }

constexpr std::array kDocuments{
    DocumentKind{"result", "run", ResultSubject::step, result_lines},
    DocumentKind{"results", "runs of a table", ResultSubject::step, results_lines},
    DocumentKind{"difference", "two runs", ResultSubject::step, difference_lines},
    DocumentKind{"sweep", "sweep", ResultSubject::study, sweep_lines},
    DocumentKind{"tune", "tune", ResultSubject::study, tune_lines},
    DocumentKind{"tune-front", "tune, a front", ResultSubject::study, front_lines},
    DocumentKind{"scale", "scale", ResultSubject::study, scale_lines},
    DocumentKind{"goodput", "goodput", ResultSubject::job, goodput_lines},
    DocumentKind{"job", "step and job", ResultSubject::job, job_lines},
    DocumentKind{"share", "share", ResultSubject::job, share_lines},
    DocumentKind{"metrics", "metrics", ResultSubject::measured, metrics_lines},
    DocumentKind{"comparison", "compare", ResultSubject::measured, comparison_lines},
    DocumentKind{"comparisons", "compare", ResultSubject::measured, comparisons_lines},
    DocumentKind{"profile", "profile", ResultSubject::measured, profile_lines},
    DocumentKind{"validation", "validation", ResultSubject::validation, validation_lines},
    DocumentKind{"measured-validation", "validation by sources", ResultSubject::validation,
                 bare_lines},
    DocumentKind{"left-out", "validation, tables left out", ResultSubject::validation, bare_lines},
    DocumentKind{"kernel-validation", "validation of kernels", ResultSubject::validation,
                 bare_lines},
    DocumentKind{"nccl-validation", "validation of NCCL", ResultSubject::validation,
                 nccl_validation_lines},
    DocumentKind{"calibration", "calibration", ResultSubject::validation, bare_lines},
    DocumentKind{"kernel-fit", "fit of kernels", ResultSubject::validation, gpu_lines},
    DocumentKind{"machine", "machine", ResultSubject::validation, machine_lines},
    DocumentKind{"nccl", "nccl", ResultSubject::network, nccl_lines},
    DocumentKind{"topology", "topology", ResultSubject::network, topology_lines}};

constexpr std::array kPages{
    ReportPageKind{"run", "run", ResultSubject::step},
    ReportPageKind{"difference", "two runs", ResultSubject::step},
    ReportPageKind{"sweep", "sweep", ResultSubject::study},
    ReportPageKind{"tune", "tune", ResultSubject::study},
    ReportPageKind{"front", "tune, a front", ResultSubject::study},
    ReportPageKind{"scale", "scale", ResultSubject::study},
    ReportPageKind{"goodput", "goodput", ResultSubject::job},
    ReportPageKind{"share", "share", ResultSubject::job},
    ReportPageKind{"metrics", "metrics", ResultSubject::measured},
    ReportPageKind{"comparison", "compare", ResultSubject::measured},
    ReportPageKind{"profile", "profile", ResultSubject::measured},
    ReportPageKind{"validation", "validation", ResultSubject::validation},
    ReportPageKind{"nccl-validation", "validation of NCCL", ResultSubject::validation},
    ReportPageKind{"nccl", "nccl", ResultSubject::network},
    ReportPageKind{"topology", "topology", ResultSubject::network},
    ReportPageKind{"index", "index", ResultSubject::other},
    // Of a release that did not say what its pages are about.
    ReportPageKind{"", "results", ResultSubject::other}};

}  // namespace

std::span<const DocumentKind> document_kinds() { return kDocuments; }
std::span<const ReportPageKind> report_page_kinds() { return kPages; }

const DocumentKind* document_kind(std::string_view schema) {
  constexpr std::string_view kOurs = "simtrain.";
  constexpr std::string_view kVersion = "/1";
  if (!schema.starts_with(kOurs) || !schema.ends_with(kVersion)) return nullptr;
  schema.remove_prefix(kOurs.size());
  schema.remove_suffix(kVersion.size());
  const auto* const kind =
      std::find_if(kDocuments.begin(), kDocuments.end(),
                   [&](const DocumentKind& one) { return one.schema == schema; });
  return kind == kDocuments.end() ? nullptr : kind;
}

std::vector<ResultLine> document_lines(const ResultJson& document) {
  const DocumentKind* kind = document_kind(text_in(document, "schema"));
  invariant(kind != nullptr, "a document of no kind");
  std::vector<ResultLine> lines = kind->lines(document);
  if (lines.empty()) lines.push_back({"", {}, {}, "empty"});
  return lines;
}

nlohmann::ordered_json lines_json(const std::vector<ResultLine>& lines) {
  using LineJson = nlohmann::ordered_json;
  const auto figure = [](const std::optional<double>& value) {
    return value ? LineJson(*value) : LineJson();
  };
  LineJson json = LineJson::array();
  for (const auto& [title, step_s, mfu, says] : lines)
    json.push_back(
        {{"title", title}, {"step_s", figure(step_s)}, {"mfu", figure(mfu)}, {"says", says}});
  return json;
}

std::vector<ResultLine> lines_of(const ResultJson& json) {
  static_cast<void>(json.at(0));  // an array
  std::vector<ResultLine> lines;
  lines.reserve(json.size());
  const auto figure = [](const ResultJson& value) {
    return value.is_null() ? std::optional<double>() : std::optional(value.get<double>());
  };
  for (const ResultJson& line : json)
    lines.push_back({line.at("title").get<std::string>(), figure(line.at("step_s")),
                     figure(line.at("mfu")), line.at("says").get<std::string>()});
  return lines;
}

ResultLine sweep_line(const std::string& title, ResultLine best, std::uint64_t fitting,
                      std::uint64_t candidates, bool complete) {
  best.title = title;
  best.says = best.step_s
                  ? fmt::format("best of {} that fit, of {} candidates", fitting, candidates)
                  : fmt::format("none of {} candidates fits", candidates);
  if (!complete) best.says += "; not complete";
  return best;
}

}  // namespace simtrain
