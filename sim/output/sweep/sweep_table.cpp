#include "sim/output/sweep/sweep_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/csv_cells.h"
#include "sim/core/printable.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/study/sweep/sweep_digest.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

struct CellText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const { return text; }
};

struct CellJson {
  Json operator()(std::monostate) const { return nullptr; }
  template <class Value>
  Json operator()(const Value& value) const {
    return value;
  }
};

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_counts(std::string& out, const SweepTable& table) {
  const SweepCounts counts = sweep_counts(table.rows);
  out += fmt::format("{} of {} candidates:", table.rows.size(), table.question.grid.size());
  std::string_view comma = "";
  for (const auto& [name, status] : EnumNames<SweepStatus>::rows) {
    const std::size_t count = counts.of(status);
    if (count == 0 && status == SweepStatus::failed) continue;
    out += fmt::format("{} {} {}", std::exchange(comma, ","), count, name);
  }
  out += "\n";
  for (const auto& [reason, count] : counts.reasons)
    out += fmt::format("  {:>8}  {}\n", count, wrapped(printable(reason), 12));
}

}  // namespace

std::string csv_cell(const SweepCell& cell) { return csv_quoted(std::visit(CellText{}, cell)); }

std::vector<const SweepRow*> best_rows(const std::vector<SweepRow>& rows, std::size_t most) {
  std::vector<const SweepRow*> best;
  best.reserve(rows.size());
  for (const SweepRow& row : rows) {
    if (row.status == SweepStatus::ok) best.push_back(&row);
  }
  const auto faster = [](const SweepRow* a, const SweepRow* b) {
    return std::pair(a->step_time_s, a->index) < std::pair(b->step_time_s, b->index);
  };
  const auto end = best.begin() + static_cast<std::ptrdiff_t>(std::min(most, best.size()));
  std::partial_sort(best.begin(), end, best.end(), faster);
  best.erase(end, best.end());
  return best;
}

std::string best_table(const SweepQuestion& question, const std::vector<const SweepRow*>& rows) {
  if (rows.empty()) return {};
  const SweepGrid& grid = question.grid;
  std::vector<std::size_t> widths;
  widths.reserve(grid.axes().size());
  for (const SweepAxis& axis : grid.axes()) {
    std::size_t width = axis.column.size();
    for (const SweepRow* row : rows)
      width = std::max(width, axis.texts[grid.choice(row->index)[widths.size()]].size());
    widths.push_back(width + 2);
  }
  std::string out;
  for (std::size_t i = 0; i < widths.size(); ++i)
    out += fmt::format("{:<{}}", grid.axes()[i].column, widths[i]);
  out += fmt::format("{:>5}{:>12}{:>8}{:>11}{:>9}{:>9}{:>6}\n", "dp", "step time", "+-90 %",
                     "tokens/s", "MFU", "memory", "row");
  for (const SweepRow* row : rows) {
    const std::vector<std::size_t> choice = grid.choice(row->index);
    for (std::size_t i = 0; i < widths.size(); ++i)
      out += fmt::format("{:<{}}", printable(grid.axes()[i].texts[choice[i]]), widths[i]);
    const Interval& interval = row->step_time_interval;
    const double half_width = (interval.high - interval.low) / 2 / row->step_time_s;
    out += fmt::format("{:>5}{:>10.3f} s{:>6.1f} %{:>11.0f}{:>7.2f} %{:>6.1f} GB{:>6}\n", row->dp,
                       row->step_time_s, half_width * 100, row->tokens_per_s, row->mfu * 100,
                       row->total_bytes / 1e9, row->index);
  }
  return out;
}

std::string sweep_text(const SweepTable& table) {
  std::string out = fmt::format("Sweep of {}\n\n", printable(table.question.name));
  const std::string best = best_table(table.question, best_rows(table.rows, 10));
  out += best.empty() ? "" : best + "\n";
  add_counts(out, table);
  return out;
}

std::string sweep_csv(const SweepTable& table) {
  const std::vector<SweepColumn> columns = sweep_columns(table.question);
  std::string out;
  for (const SweepColumn& column : columns)
    out += fmt::format("{}{}", out.empty() ? "" : ",", csv_cell(column.name));
  out += "\n";
  for (const SweepRow& row : table.rows) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      out += fmt::format("{}{}", i == 0 ? "" : ",", csv_cell(columns[i].cell(row)));
    out += "\n";
  }
  return out;
}

std::string sweep_json(const SweepTable& table) {
  const std::vector<SweepColumn> columns = sweep_columns(table.question);
  Json described = Json::object();
  for (const SweepColumn& column : columns) {
    if (column.name != "question")
      described[column.name] = {{"unit", column.unit}, {"meaning", column.meaning}};
  }
  Json head{{"schema", "simtrain.sweep/1"},           {"scenario", table.question.name},
            {"question", table.question.fingerprint}, {"candidates", table.question.grid.size()},
            {"complete", table.complete()},           {"columns", std::move(described)}};
  std::string out = one_line(head);
  out.pop_back();
  out += ",\n\"rows\": [";
  std::string_view comma = "\n";
  for (const SweepRow& row : table.rows) {
    Json json = Json::object();
    for (const SweepColumn& column : columns) {
      if (column.name != "question") json[column.name] = std::visit(CellJson{}, column.cell(row));
    }
    out += std::exchange(comma, ",\n");
    out += one_line(json);
  }
  return out + "\n]}\n";
}

}  // namespace simtrain
