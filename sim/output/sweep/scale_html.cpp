#include "sim/output/sweep/scale_html.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/output/html/html.h"
#include "sim/output/html/html_assets.h"
#include "sim/output/html/share_bars.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string head_lines(const ScaleHead& head) {
  std::string out =
      fmt::format("<h1>Scaling of {}</h1>\n<p class=\"soft\">{} scaling: {} \u00b7 {} tokens",
                  html_text(head.scenario), name_of(head.mode),
                  head.mode == Scaling::weak ? "the global batch grows with the GPUs"
                                             : "the global batch stays",
                  token_text(head.tokens));
  if (head.usd_per_gpu_hour) out += fmt::format(" at $ {:g} per GPU hour", *head.usd_per_gpu_hour);
  return out + "</p>\n";
}

std::string size_row(const ScaleHead& head, const ScaleRow& row) {
  if (!row.report)
    return fmt::format(
        "<tr><td>{}</td><td class=\"text soft\" colspan=\"{}\">illegal: {}</td></tr>\n", row.gpus,
        head.usd_per_gpu_hour ? 9 : 8, html_text(row.refusal));
  const Report& report = *row.report;
  const TrainingRun run = training_run(report, head.tokens, head.usd_per_gpu_hour);
  std::vector<std::string> cells{std::to_string(row.gpus),
                                 std::to_string(row.global_batch),
                                 fmt::format("{:.3f} s", report.step_time_s),
                                 fmt::format("{:.0f}", report.tokens_per_s),
                                 fmt::format("{:.2f} %", report.mfu * 100),
                                 fmt::format("{:.1f} %", row.efficiency * 100),
                                 fmt::format("{:.1f}", run.days),
                                 fmt::format("{:.0f}", run.gpu_hours)};
  if (run.usd) cells.push_back(usd_text(*run.usd));
  cells.emplace_back(report.fits() ? "" : "<span class=\"bad\">does not fit</span>");
  return html_row(cells);
}

std::string table(const ScaleHead& head, const std::vector<ScaleRow>& rows) {
  std::vector<std::string> heads{"GPUs", "global batch", "step time", "tokens/s",
                                 "MFU",  "efficiency",   "days",      "GPU hours"};
  if (head.usd_per_gpu_hour) heads.emplace_back("cost");
  heads.emplace_back("");
  std::string lines;
  for (const ScaleRow& row : rows) lines += size_row(head, row);
  return "<h2>Sizes</h2>\n" + html_table(heads, lines);
}

std::string charts() {
  return "<h2>Throughput</h2>\n<p class=\"soft\">Tokens/s; the line without marks is the first "
         "size "
         "times its GPUs.</p>\n" +
         html_chart("throughput", "Tokens per second against GPUs") +
         "<h2>Efficiency</h2>\n<p class=\"soft\">Tokens/s of a GPU against those of the first "
         "size, "
         "and MFU.</p>\n" +
         html_chart("efficiency", "Efficiency and MFU against GPUs") +
         "<h2>Where the step goes</h2>\n<p class=\"soft\">Shares of the critical path.</p>\n" +
         "<p class=\"legend\" id=\"shares-legend\"></p>\n" +
         html_chart("shares", "Critical path of each size by share");
}

std::string page_data(const std::vector<const ScaleRow*>& rows) {
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
  const Json json{{"sizes", std::move(sizes)}, {"shares", share_bars_json(bars, "%")}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string scale_html(const ScaleHead& head, const std::vector<ScaleRow>& rows) {
  std::vector<const ScaleRow*> simulated;
  simulated.reserve(rows.size());
  for (const ScaleRow& row : rows) {
    if (row.report) simulated.push_back(&row);
  }
  const std::string title = "Scaling of " + head.scenario;
  const std::string body = head_lines(head) + changes_html(head.changes) + table(head, rows);
  if (simulated.empty()) return html_page(title, "", body);
  std::stable_sort(simulated.begin(), simulated.end(),
                   [](const ScaleRow* a, const ScaleRow* b) { return a->gpus < b->gpus; });
  return html_chart_page(title, body + charts(), page_data(simulated), scale_page_script());
}

}  // namespace simtrain
