#include "sim/output/sweep/sweep_html.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/output/html/html.h"
#include "sim/output/html/html_assets.h"
#include "sim/output/sweep/sweep_html_data.h"
#include "sim/output/text/unit_text.h"
#include "sim/study/sweep/sweep_digest.h"

namespace simtrain {
namespace {

std::string axis_text(const SweepAxis& axis) {
  constexpr std::size_t kMost = 12;
  const auto end =
      axis.texts.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, axis.texts.size()));
  std::string values = fmt::format("{}", fmt::join(axis.texts.begin(), end, ", "));
  if (end != axis.texts.end())
    values += fmt::format(" \u2026 {} ({} values)", axis.texts.back(), axis.texts.size());
  return fmt::format("<b>{}</b> {}", html_text(axis.column), html_text(values));
}

std::string head(const SweepTable& table) {
  const SweepQuestion& question = table.question;
  std::vector<std::string> axes;
  axes.reserve(question.grid.axes().size());
  for (const SweepAxis& axis : question.grid.axes()) axes.push_back(axis_text(axis));
  std::string out =
      fmt::format("<h1>Sweep of {}</h1>\n<p class=\"soft\">Every combination of {}</p>\n",
                  html_text(question.name), fmt::join(axes, " \u00b7 "));
  if (!table.complete())
    out += fmt::format(
        "<p class=\"bad\">Stopped: {} of {} candidates are done; all below is of "
        "these.</p>\n",
        table.rows.size(), question.grid.size());
  if (!question.gpus_note.empty())
    out += fmt::format("<p class=\"bad\">{}</p>\n", html_text(question.gpus_note));
  const SweepSpread spread = sweep_spread(table.rows);
  if (!spread.same_work)
    out +=
        "<p class=\"soft\">Steps train unlike numbers of tokens: step times alone do not say which "
        "plan trains faster.</p>\n";
  return out;
}

std::string best_tiles(const SweepRow& best) {
  return html_tile(fmt::format("{:.3f} s", best.step_time_s),
                   fmt::format("best step time, 90 % interval {:.3f} to {:.3f} s",
                               best.step_time_interval.low, best.step_time_interval.high)) +
         html_tile(fmt::format("{:.2f} %", best.mfu * 100), "its MFU") +
         html_tile(gigabytes(best.total_bytes),
                   fmt::format("its memory, of {} a GPU", gigabytes(best.capacity_bytes)));
}

std::string tiles(const SweepTable& table) {
  const SweepCounts counts = sweep_counts(table.rows);
  const std::size_t fit = counts.of(SweepStatus::ok);
  const std::size_t too_large = counts.of(SweepStatus::does_not_fit);
  std::string out = "<div class=\"tiles\">";
  out += html_tile(std::to_string(table.question.grid.size()), "candidates");
  out += html_tile(std::to_string(fit + too_large), "simulated");
  out += html_tile(std::to_string(fit),
                   fit > 0 ? "<span class=\"good\">fit</span>" : "<span class=\"bad\">fit</span>");
  out += html_tile(std::to_string(too_large), "do not fit");
  out += html_tile(std::to_string(counts.of(SweepStatus::illegal)), "are no legal job");
  if (counts.of(SweepStatus::failed) > 0)
    out += html_tile(std::to_string(counts.of(SweepStatus::failed)),
                     "<span class=\"bad\">failed</span>");
  const std::vector<const SweepRow*> best = best_rows(table.rows, 1);
  if (!best.empty()) out += best_tiles(*best.front());
  return out + "</div>\n";
}

std::string best_section(const SweepTable& table) {
  const std::vector<const SweepRow*> best = best_rows(table.rows, 10);
  if (best.empty()) return "<p class=\"bad\">No candidate fits.</p>\n";
  const SweepGrid& grid = table.question.grid;
  std::vector<std::string> heads;
  for (const SweepAxis& axis : grid.axes()) heads.push_back(html_text(axis.column));
  for (const char* name :
       {"GPUs", "DP", "step time", "90 % interval", "tokens/s", "MFU", "memory", "row"})
    heads.emplace_back(name);
  std::string rows;
  for (const SweepRow* row : best) {
    std::vector<std::string> cells;
    const std::vector<std::size_t> choice = grid.choice(row->index);
    for (std::size_t i = 0; i < choice.size(); ++i)
      cells.push_back(html_text(grid.axes()[i].texts[choice[i]]));
    const Interval& interval = row->step_time_interval;
    cells.insert(cells.end(),
                 {std::to_string(row->gpus), std::to_string(row->dp),
                  fmt::format("{:.3f} s", row->step_time_s),
                  fmt::format("{:.3f} to {:.3f} s", interval.low, interval.high),
                  fmt::format("{:.0f}", row->tokens_per_s), fmt::format("{:.2f} %", row->mfu * 100),
                  gigabytes(row->total_bytes), std::to_string(row->index)});
    rows += html_row(cells);
  }
  return "<h2>The fastest that fit</h2>\n" + html_table(heads, rows);
}

std::string map_section() {
  return "<h2 id=\"map-head\">The best by two keys</h2>\n<p class=\"soft\" id=\"map-about\"></p>\n"
         "<div class=\"fields\" id=\"map-fields\">"
         "</div>\n<p class=\"legend\" id=\"map-legend\"></p>\n" +
         html_chart("map", "The best candidate for each combination of two keys") +
         "<p class=\"soft\" id=\"map-note\"></p>\n";
}

std::string front_section() {
  return "<h2>What a faster step costs</h2>\n<p class=\"soft\" id=\"front-note\"></p>\n"
         "<div class=\"fields\" id=\"front-fields\"></div>\n" +
         html_chart("front", "Candidates that fit by time and cost, with their Pareto front");
}

std::string rows_section(const SweepTable& table) {
  std::string out = "<h2>All candidates</h2>\n";
  if (table.rows.size() > kMostPageRows)
    out += fmt::format(
        "<p class=\"soft\">Of {} candidates these are the {} fastest that fit; where fewer do, "
        "also those that do not fit and then those that are no legal job; the files of --hdf5 and "
        "--output hold all.</p>\n",
        table.rows.size(), kMostPageRows);
  return out +
         "<div class=\"fields\" id=\"row-fields\"></div>\n<p class=\"soft\" id=\"row-note\"></p>\n"
         "<div class=\"scroll\"><table id=\"rows\"></table></div>\n"
         "<div class=\"buttons\" id=\"row-more\"></div>\n"
         "<noscript><p class=\"soft\">This table is made by JavaScript.</p></noscript>\n";
}

std::string reasons_section(const SweepTable& table) {
  const SweepCounts counts = sweep_counts(table.rows);
  if (counts.reasons.empty()) return "";
  constexpr std::size_t kMost = 200;
  std::string rows;
  for (std::size_t i = 0; i < std::min(kMost, counts.reasons.size()); ++i)
    rows += fmt::format("<tr><td>{}</td><td class=\"text\">{}</td></tr>\n",
                        counts.reasons[i].second, html_text(counts.reasons[i].first));
  std::string out =
      "<h2>Why candidates were skipped</h2>\n<p class=\"soft\">Numbers in a reason are left out "
      "(N), so that like reasons are counted as one.</p>\n" +
      html_table({"candidates", ""}, rows);
  if (counts.reasons.size() > kMost)
    out += fmt::format("<p class=\"soft\">\u2026 and {} more reasons.</p>\n",
                       counts.reasons.size() - kMost);
  return out;
}

}  // namespace

std::string sweep_html(const SweepTable& table) {
  const bool any_fits = !best_rows(table.rows, 1).empty();
  std::string body = head(table) + tiles(table) + best_section(table) + map_section();
  if (any_fits) body += front_section();
  body += reasons_section(table) + rows_section(table);
  body += fmt::format("<p class=\"soft\">simtrain sweep: question {}.</p>\n",
                      table.question.fingerprint);
  return html_chart_page("Sweep of " + table.question.name, body, sweep_page_data(table),
                         sweep_page_script());
}

}  // namespace simtrain
