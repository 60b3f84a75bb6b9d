#include "sim/output/sweep/scale_html.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/output/html/html.h"
#include "sim/output/html/share_bars.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string price_text(const ScaleHead& head) {
  return head.usd_per_gpu_hour ? fmt::format("{:g}", *head.usd_per_gpu_hour) : "";
}

Json page_size_json(const ScaleHead& head, const ScaleRow& row) {
  const Report& report = *row.report;
  const TrainingRun run = training_run(report, head.tokens, head.usd_per_gpu_hour);
  return {{"batch", row.global_batch},
          {"step", fmt::format("{:.3f}", report.step_time_s)},
          {"tokens_per_s", grouped(report.tokens_per_s)},
          {"mfu", fmt::format("{:.2f}", report.mfu * 100)},
          {"efficiency", fmt::format("{:.1f}", row.efficiency * 100)},
          {"days", fmt::format("{:.1f}", run.days)},
          {"gpu_hours", grouped(run.gpu_hours)},
          {"usd", run.usd ? usd_text(*run.usd) : ""},
          {"fits", report.fits()}};
}

Json page_row_json(const ScaleHead& head, const ScaleRow& row) {
  return {{"gpus", row.gpus},
          {"refusal", row.report ? "" : row.refusal},
          {"columns", head.usd_per_gpu_hour ? 9 : 8},
          {"size", row.report ? page_size_json(head, row) : nullptr}};
}

Json page_content(const ScaleHead& head, const std::vector<ScaleRow>& rows, bool charts) {
  Json sizes = Json::array();
  for (const ScaleRow& row : rows) sizes.push_back(page_row_json(head, row));
  return {{"title", "Scaling of " + head.scenario},
          {"mode", name_of(head.mode)},
          {"batch", head.mode == Scaling::weak ? "the global batch grows with the GPUs"
                                               : "the global batch stays"},
          {"tokens", token_text(head.tokens)},
          {"price", price_text(head)},
          {"changes", changes_page(head.changes)},
          {"rows", std::move(sizes)},
          {"charts", charts}};
}

Json page_charts(const std::vector<const ScaleRow*>& rows) {
  Json sizes = Json::array();
  std::vector<ShareBar> bars;
  bars.reserve(rows.size());
  for (const ScaleRow* row : rows) {
    const Report& report = *row->report;
    sizes.push_back({{"gpus", row->gpus},
                     {"tokens", report.tokens_per_s},
                     {"efficiency", row->efficiency * 100},
                     {"mfu", report.mfu * 100},
                     {"fits", report.fits()}});
    bars.push_back({fmt::format("{} GPUs", row->gpus), report, 100 / report.step_time_s});
  }
  return {{"sizes", std::move(sizes)}, {"shares", share_bars_json(bars, "%")}};
}

}  // namespace

std::string scale_html(const ScaleHead& head, const std::vector<ScaleRow>& rows) {
  std::vector<const ScaleRow*> simulated;
  simulated.reserve(rows.size());
  for (const ScaleRow& row : rows) {
    if (row.report) simulated.push_back(&row);
  }
  const Json content = page_content(head, rows, !simulated.empty());
  const PageResult carried(scale_json(head, rows));
  if (simulated.empty()) return html_page("scale", content, carried);
  std::stable_sort(simulated.begin(), simulated.end(),
                   [](const ScaleRow* a, const ScaleRow* b) { return a->gpus < b->gpus; });
  return html_chart_page("scale", content, page_charts(simulated), carried);
}

}  // namespace simtrain
