#include "sim/output/sweep/sweep_html_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/core/input/number_text.h"
#include "sim/study/sweep/sweep_digest.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// Cells of all maps together: a page stays below 5 MB with them.
constexpr std::size_t kMostCells = 20'000;
constexpr double kTokens = 1e12;  ///< of the training run that fronts are about

/// A figure with as many digits as a page shows of it.
double rounded(double value) {
  return number_as<double>(fmt::format("{:.6g}", value)).value_or(value);
}

/// Bytes are whole in every output, so that a page of a finished file is that of its sweep.
double floored_gigabytes(double bytes) { return std::round(std::floor(bytes) / 1e6) / 1e3; }

/// Reasons by number: many rows share one.
class Reasons {
 public:
  std::size_t number_of(const std::string& reason) {
    const auto [entry, fresh] = numbers_.try_emplace(reason, texts_.size());
    if (fresh) texts_.push_back(reason);
    return entry->second;
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

Json values_json(const SweepGrid& grid) {
  Json axes = Json::array();
  for (const SweepAxis& axis : grid.axes())
    axes.push_back({{"name", axis.column}, {"key", axis.key}, {"values", axis.texts}});
  return axes;
}

/// [index, status, GPUs, DP, reason] of what was not simulated, else
/// [index, status, GPUs, DP, step time, its 90 % interval, tokens/s, MFU, GB].
Json listed_row_json(const SweepRow& row, Reasons& reasons) {
  Json json{row.index, static_cast<int>(row.status), row.gpus, row.dp};
  if (!row.simulated()) {
    json.push_back(reasons.number_of(row.reason));
    return json;
  }
  for (const double figure : {row.step_time_s, row.step_time_interval.low,
                              row.step_time_interval.high, row.tokens_per_s, row.mfu})
    json.push_back(rounded(figure));
  json.push_back(floored_gigabytes(row.total_bytes));
  return json;
}

/// [rows that fit, fastest, its step time, highest MFU's row, its MFU, smallest, its GB]; where
/// none fits [0, smallest, its GB]; where none is legal [-1, reason]; where nothing is done yet [].
Json cell_json(const SweepMapCell& cell, Reasons& reasons) {
  if (cell.fitting > 0)
    return {cell.fitting,
            cell.fastest->index,
            rounded(cell.fastest->step_time_s),
            cell.highest_mfu->index,
            rounded(cell.highest_mfu->mfu),
            cell.smallest->index,
            floored_gigabytes(cell.smallest->total_bytes)};
  if (cell.smallest != nullptr)
    return {0, cell.smallest->index, floored_gigabytes(cell.smallest->total_bytes)};
  if (cell.refused != nullptr) return {-1, reasons.number_of(cell.refused->reason)};
  return Json::array();
}

Json maps_json(const SweepTable& table, Reasons& reasons) {
  Json maps = Json::array();
  for (const SweepMap& map : sweep_maps(table.question.grid, table.rows, kMostCells)) {
    Json cells = Json::array();
    for (const SweepMapCell& cell : map.cells) cells.push_back(cell_json(cell, reasons));
    Json json{{"rows", map.row_axis}, {"columns", nullptr}, {"cells", std::move(cells)}};
    if (map.column_axis) json["columns"] = *map.column_axis;
    maps.push_back(std::move(json));
  }
  return maps;
}

/// The rows that the page lists and those of the fronts, each once.
class ListedRows {
 public:
  void add(const std::vector<const SweepRow*>& rows) {
    for (const SweepRow* row : rows) {
      if (known_.insert(row->index).second) rows_.push_back(row);
    }
  }
  [[nodiscard]] const std::vector<const SweepRow*>& rows() const { return rows_; }

 private:
  std::set<std::uint64_t> known_;
  std::vector<const SweepRow*> rows_;
};

Json front_json(const std::vector<const SweepRow*>& front) {
  Json indices = Json::array();
  for (const SweepRow* row : front) indices.push_back(row->index);
  return indices;
}

}  // namespace

SweepSpread sweep_spread(const std::vector<SweepRow>& rows) {
  SweepSpread spread;
  const SweepRow* first = nullptr;
  const auto tokens = [](const SweepRow& row) { return row.tokens_per_s * row.step_time_s; };
  for (const SweepRow& row : rows) {
    if (row.status != SweepStatus::ok) continue;
    if (first == nullptr) first = &row;
    constexpr double kRounding = 1e-6;
    if (std::abs(tokens(row) / tokens(*first) - 1) > kRounding) spread.same_work = false;
    if (row.gpus != first->gpus) spread.same_gpus = false;
  }
  return spread;
}

std::vector<const SweepRow*> page_rows(const std::vector<SweepRow>& rows) {
  std::vector<const SweepRow*> listed = best_rows(rows, kMostPageRows);
  listed.reserve(std::min(rows.size(), kMostPageRows));
  const auto add_others = [&](bool simulated) {
    for (const SweepRow& row : rows) {
      if (listed.size() >= kMostPageRows) return;
      if (row.status != SweepStatus::ok && row.simulated() == simulated) listed.push_back(&row);
    }
  };
  add_others(true);
  add_others(false);
  return listed;
}

Json sweep_page_data(const SweepTable& table) {
  using Row = const SweepRow&;
  const SweepSpread spread = sweep_spread(table.rows);
  const SweepFigure time = [&](Row row) {
    return rounded(spread.same_work ? row.step_time_s : kTokens / row.tokens_per_s);
  };
  const auto by_memory = pareto_front(
      table.rows, [](Row row) { return floored_gigabytes(row.total_bytes); }, time);
  const auto by_gpu_hours = pareto_front(
      table.rows, [](Row row) { return rounded(row.gpus * kTokens / row.tokens_per_s); }, time);
  ListedRows listed;
  listed.add(page_rows(table.rows));
  const std::size_t best = listed.rows().size();
  listed.add(by_memory);
  if (!spread.same_gpus) listed.add(by_gpu_hours);
  Reasons reasons;
  Json rows = Json::array();
  for (const SweepRow* row : listed.rows()) rows.push_back(listed_row_json(*row, reasons));
  Json maps = maps_json(table, reasons);
  Json statuses = Json::array();
  for (const auto& [name, status] : EnumNames<SweepStatus>::rows) statuses.push_back(name);
  Json fronts{{"memory", front_json(by_memory)}};
  if (!spread.same_gpus) fronts["gpu_hours"] = front_json(by_gpu_hours);
  return {{"axes", values_json(table.question.grid)},
          {"done", table.rows.size()},
          {"same_work", spread.same_work},
          {"statuses", std::move(statuses)},
          {"rows", std::move(rows)},
          {"listed", best},
          {"maps", std::move(maps)},
          {"fronts", std::move(fronts)},
          {"reasons", reasons.texts()}};
}

}  // namespace simtrain
