#include "sim/output/nccl/nccl_tests_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/printable.h"
#include "sim/output/measured/metrics_report.h"
#include "sim/output/nccl/curve_groups.h"
#include "sim/output/nccl/nccl_validation_report.h"
#include "sim/output/nccl/test_points.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

using nlohmann::ordered_json;

/// nccl-tests prints at most seven characters.
std::string microseconds_text(double seconds) {
  const double us = seconds * 1e6;
  return us >= 10000 ? fmt::format("{:.0f}", us)
         : us >= 100 ? fmt::format("{:.1f}", us)
                     : fmt::format("{:.2f}", us);
}

std::string measured_cells(const std::optional<NcclTestTime>& time) {
  if (!time) return fmt::format("{:>10}{:>8}", "-", "-");
  return fmt::format("{:>10}{:>8.2f}", microseconds_text(time->seconds), time->bus_bandwidth / 1e9);
}

std::string error_cell(const PredictedTestRow& row, const std::optional<NcclTestTime>& time) {
  return time ? fmt::format("{:>+7.1f}", row.error(*time) * 100) : fmt::format("{:>7}", "-");
}

std::string table(const PredictedTest& test) {
  std::string out = fmt::format("{:>12}{:>18}{:>18}{:>18}{:>14}\n", "", "out of place", "in place",
                                "predicted", "error %");
  out += fmt::format("{:>12}", "size B");
  for (int i = 0; i < 3; ++i) out += fmt::format("{:>10}{:>8}", "time us", "busbw");
  out += fmt::format("{:>7}{:>7}\n", "out", "in");
  for (const PredictedTestRow& row : test.rows) {
    out += fmt::format(
        "{:>12}{}{}{:>10}{:>8.2f}{}{}\n", row.measured.bytes,
        measured_cells(row.measured.out_of_place), measured_cells(row.measured.in_place),
        microseconds_text(to_seconds(row.predicted.time)), row.predicted.bus_bandwidth() / 1e9,
        error_cell(row, row.measured.out_of_place), error_cell(row, row.measured.in_place));
  }
  return out;
}

std::string summary_line(std::string_view label, const CurveSummary& summary) {
  if (summary.points == 0) return "";
  std::string out;
  labelled_line(out, label,
                fmt::format("median {:.1f} %, 90 % within {:.1f} %, bias {:+.1f} %, of {} times",
                            summary.median * 100, summary.percentile_90 * 100, summary.bias * 100,
                            summary.points));
  return out;
}

std::string test_text(const PredictedTest& test) {
  std::string out = fmt::format("\n{}\n\n", printable(test_name(test, name_of(test.collective))));
  const auto row = [&](std::string_view label, const std::string& text) {
    labelled_line(out, label, printable(text));
  };
  row("Log", test.log);
  if (!test.test.gpu_names.empty())
    row("GPUs", fmt::format("{}", fmt::join(test.test.gpu_names, ", ")));
  row("NCCL", nccl_words(test));
  for (const std::string& caveat : caveats_of(test)) row("Disagree", caveat);
  const CurveGroup all = group_of_all(points_of(test));
  out += summary_line("1 MiB and more", all.large);
  out += summary_line("below", all.small);
  return out + "\n" + table(test);
}

ordered_json test_json(const PredictedTest& test) {
  return {{"log", test.log},
          {"collective", name_of(test.collective)},
          {"cluster", test.cluster},
          {"gpus", test.gpus},
          {"nodes", test.nodes},
          {"gpu_names", test.test.gpu_names},
          {"nccl_version", test.settings.version.value.text()},
          {"nvls", test.settings.nvls.value},
          {"wrong_values", wrong_values(test)},
          {"disagree", caveats_of(test)}};
}

void add_points(const PredictedTest& test, std::size_t number, ordered_json& points) {
  for (const PredictedTestRow& row : test.rows) {
    const NcclTestRow& measured = row.measured;
    for (const auto& [placement, time] :
         {std::pair{"out of place", measured.out_of_place}, {"in place", measured.in_place}}) {
      if (!time) continue;
      ordered_json point = point_json(point_of(test, row, *time));
      point["test"] = number;
      point["placement"] = placement;
      point["measured_bus_bandwidth_bytes_per_s"] = time->bus_bandwidth;
      point["predicted_bus_bandwidth_bytes_per_s"] = row.predicted.bus_bandwidth();
      points.push_back(std::move(point));
    }
  }
}

}  // namespace

std::string nccl_tests_text(const std::vector<PredictedTest>& tests,
                            const std::vector<NcclTestsLog>& logs) {
  std::string out =
      "Measured NCCL calls against predictions; errors are predicted over measured\n"
      "time, less one\n";
  for (const PredictedTest& test : tests) out += test_text(test);
  for (const NcclTestsLog& log : logs) {
    const std::string skipped = skipped_text(log.skipped, log.lines);
    if (!skipped.empty()) out += fmt::format("\n{}: {}", printable(log.path), skipped);
  }
  return out;
}

std::string nccl_tests_json(const std::vector<PredictedTest>& tests,
                            const std::vector<NcclTestsLog>& logs) {
  auto points = ordered_json::array();
  auto heads = ordered_json::array();
  for (const PredictedTest& test : tests) {
    add_points(test, heads.size(), points);
    heads.push_back(test_json(test));
  }
  std::int64_t skipped = 0;
  for (const NcclTestsLog& log : logs) skipped += log.skipped.count;
  return json_text({{"schema", "simtrain.nccl-validation/1"},
                    {"points", std::move(points)},
                    {"tests", std::move(heads)},
                    {"skipped_lines", skipped}});
}

}  // namespace simtrain
