#include "sim/output/nccl/nccl_validation_html.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/output/html/coloured_groups.h"
#include "sim/output/html/html.h"
#include "sim/output/nccl/curve_groups.h"
#include "sim/output/nccl/nccl_tests_report.h"
#include "sim/output/nccl/nccl_validation_report.h"
#include "sim/output/nccl/test_points.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json summary_content(const CurveSummary& summary) {
  if (summary.points == 0) return {{"calls", 0}, {"median", "-"}, {"most", "-"}, {"bias", "-"}};
  return {{"calls", summary.points},
          {"median", fmt::format("{:.1f} %", summary.median * 100)},
          {"most", fmt::format("{:.1f} %", summary.percentile_90 * 100)},
          {"bias", fmt::format("{:+.1f} %", summary.bias * 100)}};
}

Json group_row(std::vector<std::string> names, const CurveGroup& group) {
  return {{"names", std::move(names)},
          {"large", summary_content(group.large)},
          {"small", summary_content(group.small)}};
}

std::string calls_words(const CurveGroup& group) {
  return group.collective.empty() ? group.use
                                  : fmt::format("{}, {}", in_words(group.collective), group.use);
}

Json curves_content(const std::vector<CurveGroup>& groups) {
  Json rows = Json::array();
  for (const CurveGroup& group : groups)
    rows.push_back(group_row({group.machine, calls_words(group)}, group));
  return {{"columns", {"machine", "calls"}}, {"rows", std::move(rows)}};
}

Json overall_content(const std::vector<CurveGroup>& groups) {
  Json rows = Json::array();
  for (const CurveGroup& group : groups)
    rows.push_back(
        group_row({group.collective.empty() ? "all" : in_words(group.collective)}, group));
  return {{"columns", Json::array({"calls"})}, {"rows", std::move(rows)}};
}

std::string placed_error(const PredictedTestRow& row, const std::optional<NcclTestTime>& time) {
  return time ? fmt::format("{:+.1f} %", row.error(*time) * 100) : "-";
}

std::string placed_time(const std::optional<NcclTestTime>& time) {
  return time ? seconds_text(time->seconds) : "-";
}

Json test_content(const PredictedTest& test) {
  Json rows = Json::array();
  for (const PredictedTestRow& row : test.rows) {
    const NcclTestRow& measured = row.measured;
    rows.push_back({{"size", call_size(Bytes(measured.bytes))},
                    {"out", placed_time(measured.out_of_place)},
                    {"in", placed_time(measured.in_place)},
                    {"predicted", seconds_text(to_seconds(row.predicted.time))},
                    {"busbw", fmt::format("{:.2f} GB/s", row.predicted.bus_bandwidth() / 1e9)},
                    {"out_error", placed_error(row, measured.out_of_place)},
                    {"in_error", placed_error(row, measured.in_place)}});
  }
  return {{"name", test_name(test, in_words(name_of(test.collective)))},
          {"log", test.log},
          {"nccl", nccl_words(test)},
          {"caveats", caveats_of(test)},
          {"rows", std::move(rows)}};
}

/// Points by size, a colour for each collective.
Json error_charts(const std::vector<CurvePoint>& points) {
  ColouredGroups groups;
  Json marks = Json::array();
  for (const CurvePoint& point : points) {
    marks.push_back(
        {{"group", groups.place_of(in_words(point.collective))},
         {"fitted", point.use == CurveUse::fitted},
         {"bytes", point.bytes},
         {"error", point.error()},
         {"how", fmt::format("{}, {} GPUs, {}", point.machine, point.gpus, point.choice)},
         {"times", fmt::format("measured {}, predicted {}", seconds_text(point.measured_s),
                               seconds_text(point.predicted_s))}});
  }
  return {{"groups", groups.json()}, {"points", std::move(marks)}};
}

/// `content` beside what all such pages say.
std::string page(const std::vector<CurvePoint>& points, Json content, std::string json) {
  const CurveGroup all = group_of_all(points);
  content["title"] = "Measured NCCL calls against predictions";
  content["chart"] = !points.empty();
  content["large"] = summary_content(all.large);
  content["small"] = summary_content(all.small);
  return html_chart_page("nccl-validation", content, error_charts(points),
                         PageResult(std::move(json)), {"size_axis.js"});
}

}  // namespace

std::string nccl_validation_html(const std::vector<CurvePoint>& points) {
  return page(points,
              {{"tests", Json::array()},
               {"groups",
                {{"curves", curves_content(groups_by_curve(points))},
                 {"overall", overall_content(groups_over_all(points))}}}},
              nccl_validation_json(points));
}

std::string nccl_tests_html(const std::vector<PredictedTest>& tests,
                            const std::vector<NcclTestsLog>& logs) {
  std::vector<CurvePoint> points;
  Json contents = Json::array();
  for (const PredictedTest& test : tests) {
    const std::vector<CurvePoint> found = points_of(test);
    points.insert(points.end(), found.begin(), found.end());
    contents.push_back(test_content(test));
  }
  return page(points, {{"tests", std::move(contents)}, {"groups", nullptr}},
              nccl_tests_json(tests, logs));
}

}  // namespace simtrain
