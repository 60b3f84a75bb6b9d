#include "sim/output/nccl/nccl_html.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "sim/output/html/coloured_groups.h"
#include "sim/output/html/html.h"
#include "sim/output/nccl/nccl_table.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string bandwidth_cell(double bytes_per_s) {
  return fmt::format("{:.2f} GB/s", bytes_per_s / 1e9);
}

/// Out of place where that was measured.
const NcclTestTime& shown_time(const NcclTestRow& row) {
  return row.out_of_place ? *row.out_of_place : *row.in_place;
}

bool timed(const NcclTestRow& row) { return row.out_of_place || row.in_place; }

/// Measured bus bandwidths of a size, in the order of the curves.
std::vector<double> measured_at(const std::vector<MeasuredCurve>& measured, Bytes bytes) {
  std::vector<double> found;
  for (const MeasuredCurve& curve : measured) {
    for (const NcclTestRow& row : curve.test.rows) {
      if (timed(row) && row.bytes == bytes.value()) found.push_back(shown_time(row).bus_bandwidth);
    }
  }
  return found;
}

Json size_row(const NcclSweepRow& row, const std::vector<MeasuredCurve>& measured) {
  std::vector<std::string> values;
  std::vector<std::string> errors;
  for (const double found : measured_at(measured, row.cost.bytes)) {
    values.push_back(bandwidth_cell(found));
    if (found > 0)
      errors.push_back(fmt::format("{:+.1f} %", (row.bus_bandwidth() / found - 1) * 100));
  }
  return {{"size", call_size(row.cost.bytes)},
          {"time", seconds_text(to_seconds(row.time))},
          {"algbw", bandwidth_cell(row.algorithm_bandwidth())},
          {"busbw", bandwidth_cell(row.bus_bandwidth())},
          {"choice", fmt::format("{} {}", name_of(row.cost.algorithm), name_of(row.cost.protocol))},
          {"channels", row.cost.sms},
          {"measured", fmt::format("{}", fmt::join(values, " / "))},
          {"error", fmt::format("{}", fmt::join(errors, " / "))}};
}

Json nccl_content(const NcclTableHead& head, const std::vector<NcclSweepRow>& rows,
                  const std::vector<MeasuredCurve>& measured) {
  Json sizes = Json::array();
  for (const NcclSweepRow& row : rows) sizes.push_back(size_row(row, measured));
  const auto best = std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.bus_bandwidth() < b.bus_bandwidth();
  });
  return {{"title", fmt::format("{} on {} GPUs of {}", in_words(name_of(head.request.collective)),
                                head.request.gpus.size(), head.cluster)},
          {"gpu", head.gpu},
          {"nodes", head.nodes},
          {"version", head.settings.version.value.text()},
          {"nvls", head.settings.nvls.value ? "on" : "off"},
          {"most", bandwidth_cell(best->bus_bandwidth())},
          {"most_size", call_size(best->cost.bytes)},
          {"largest", best + 1 == rows.end() ? "" : bandwidth_cell(rows.back().bus_bandwidth())},
          {"largest_size", call_size(rows.back().cost.bytes)},
          {"any_measured", !measured.empty()},
          {"sizes", std::move(sizes)}};
}

Json nccl_charts(const std::vector<NcclSweepRow>& rows,
                 const std::vector<MeasuredCurve>& measured) {
  Json points = Json::array();
  for (const NcclSweepRow& row : rows)
    points.push_back({{"bytes", row.cost.bytes.value()},
                      {"size", call_size(row.cost.bytes)},
                      {"gb_per_s", row.bus_bandwidth() / 1e9},
                      {"how", fmt::format("{} {}, {} channels", name_of(row.cost.algorithm),
                                          name_of(row.cost.protocol), row.cost.sms)}});
  Json curves = Json::array();
  for (const MeasuredCurve& curve : measured) {
    Json found = Json::array();
    for (const NcclTestRow& row : curve.test.rows) {
      if (timed(row)) found.push_back({row.bytes, shown_time(row).bus_bandwidth / 1e9});
    }
    curves.push_back({{"name", curve.name},
                      {"colour", group_colour(curves.size() + 1)},
                      {"points", std::move(found)}});
  }
  return {{"predicted", {{"colour", group_colour(0)}, {"points", std::move(points)}}},
          {"measured", std::move(curves)}};
}

}  // namespace

std::string nccl_html(const NcclTableHead& head, const std::vector<NcclSweepRow>& rows,
                      const std::vector<MeasuredCurve>& measured) {
  return html_chart_page("nccl", nccl_content(head, rows, measured), nccl_charts(rows, measured),
                         PageResult(nccl_json(head, rows)), {"size_axis.js"});
}

}  // namespace simtrain
