#include "sim/output/nccl/nccl_tests_report.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/printable.h"
#include "sim/output/measured/metrics_report.h"
#include "sim/output/nccl/nccl_validation_report.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/study/nccl/nccl_validation.h"

namespace simtrain {
namespace {

using nlohmann::ordered_json;

constexpr double kLarge = 1 << 20;

std::string choice_of(const NcclSweepRow& row) {
  return fmt::format("{} {}", name_of(row.cost.algorithm), name_of(row.cost.protocol));
}

/// A measured time as a point of a curve.
CurvePoint point_of(const PredictedTest& test, const PredictedTestRow& row,
                    const NcclTestTime& time) {
  return {test.cluster,
          std::string(name_of(test.collective)),
          test.log,
          CurveUse::tested,
          test.gpus,
          test.nodes,
          static_cast<double>(row.measured.bytes),
          time.seconds,
          to_seconds(row.predicted.time),
          choice_of(row.predicted)};
}

std::vector<CurvePoint> points_of(const PredictedTest& test) {
  std::vector<CurvePoint> points;
  for (const PredictedTestRow& row : test.rows) {
    for (const auto& time : {row.measured.out_of_place, row.measured.in_place}) {
      if (time) points.push_back(point_of(test, row, *time));
    }
  }
  return points;
}

std::int64_t wrong_values(const PredictedTest& test) {
  std::int64_t wrong = 0;
  for (const PredictedTestRow& row : test.rows) {
    for (const auto& time : {row.measured.out_of_place, row.measured.in_place})
      wrong += time ? time->wrong : 0;
  }
  return wrong;
}

/// Letters and digits in small letters, in words.
std::string plain_words(std::string_view text) {
  std::string out = " ";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : ' ';
  }
  return out + " ";
}

/// What speaks against a test, a sentence each.
std::vector<std::string> caveats_of(const PredictedTest& test) {
  std::vector<std::string> caveats;
  const std::string chip = plain_words(test.gpu.substr(0, test.gpu.find('-')));
  for (const std::string& name : test.test.gpu_names) {
    if (plain_words(name).find(chip) == std::string::npos)
      caveats.push_back(fmt::format("the log's GPUs are {}, the cluster's {}", name, test.gpu));
  }
  const auto ranks = static_cast<int>(test.test.ranks.size());
  if (ranks > 0 && ranks != test.gpus)
    caveats.push_back(fmt::format("the log has {} ranks, --gpus gives {}", ranks, test.gpus));
  const auto hosts = static_cast<int>(test.test.hosts.size());
  if (hosts > 0 && hosts != test.nodes)
    caveats.push_back(fmt::format("the log has {} hosts, not {}", hosts, test.nodes));
  if (const std::int64_t wrong = wrong_values(test); wrong > 0)
    caveats.push_back(fmt::format("{} values came out wrong: the run was faulty", wrong));
  return caveats;
}

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

CurveSummary sizes_summary(const std::vector<CurvePoint>& points, bool large) {
  std::vector<const CurvePoint*> chosen;
  for (const CurvePoint& point : points) {
    if ((point.bytes >= kLarge) == large) chosen.push_back(&point);
  }
  return summarize(chosen);
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
  std::string out =
      fmt::format("\n{} on {} GPUs of {} {}, {}\n\n", name_of(test.collective), test.gpus,
                  test.nodes, test.nodes == 1 ? "node" : "nodes", printable(test.cluster));
  const auto row = [&](std::string_view label, const std::string& text) {
    labelled_line(out, label, printable(text));
  };
  row("Log", test.log);
  if (!test.test.gpu_names.empty())
    row("GPUs", fmt::format("{}", fmt::join(test.test.gpu_names, ", ")));
  row("NCCL", fmt::format("{} ({}), NVLS {}", test.settings.version.value.text(),
                          test.test.version.empty() ? test.settings.version.source
                                                    : "log: " + test.test.version,
                          test.settings.nvls.value ? "on" : "off"));
  for (const std::string& caveat : caveats_of(test)) row("Disagree", caveat);
  const std::vector<CurvePoint> points = points_of(test);
  out += summary_line("1 MiB and more", sizes_summary(points, true));
  out += summary_line("below", sizes_summary(points, false));
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
