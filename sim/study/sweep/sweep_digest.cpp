#include "sim/study/sweep/sweep_digest.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <tuple>

namespace simtrain {
namespace {

/// A reason with its numbers taken out, so that like reasons are counted as one.
std::string kind_of_reason(const std::string& reason) {
  std::string kind;
  for (const char c : reason) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) kind += c;
    if (digit && (kind.empty() || kind.back() != 'N')) kind += 'N';
  }
  return kind;
}

/// Two like reasons as one: numbers that differ are N.
std::string merged(const std::string& reason, const std::string& other) {
  const auto digit = [](const std::string& text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  const auto number = [&](const std::string& text, std::size_t& at) {
    const std::size_t begin = at;
    while (digit(text, at)) ++at;
    return text.substr(begin, at - begin);
  };
  std::string text;
  for (std::size_t i = 0, j = 0; i < reason.size();) {
    if (!digit(other, j)) {
      text += reason[i++];
      ++j;
      continue;
    }
    const std::string known = digit(reason, i) ? number(reason, i) : std::string(1, reason[i++]);
    const std::string seen = number(other, j);
    text += known == seen ? seen : "N";
  }
  return text;
}

/// Keeps the one with the lower figure, the earlier one where they are equal.
template <class Figure>
void keep_lower(const SweepRow*& kept, const SweepRow& row, Figure figure) {
  if (kept == nullptr || std::pair(figure(row), row.index) < std::pair(figure(*kept), kept->index))
    kept = &row;
}

void add(SweepMapCell& cell, const SweepRow& row) {
  using Row = const SweepRow&;
  const auto bytes = [](Row r) { return r.total_bytes; };
  ++cell.done;
  if (!row.simulated()) {
    if (cell.refused == nullptr || row.index < cell.refused->index) cell.refused = &row;
    return;
  }
  if (row.status != SweepStatus::ok) {
    if (cell.fitting == 0) keep_lower(cell.smallest, row, bytes);
    return;
  }
  if (cell.fitting++ == 0) cell.smallest = nullptr;
  keep_lower(cell.smallest, row, bytes);
  keep_lower(cell.fastest, row, [](Row r) { return r.step_time_s; });
  keep_lower(cell.highest_mfu, row, [](Row r) { return -r.mfu; });
}

/// The maps of a grid, still empty.
std::vector<SweepMap> empty_maps(const SweepGrid& grid, std::size_t most_cells) {
  const std::vector<SweepAxis>& axes = grid.axes();
  std::vector<std::size_t> mapped;
  mapped.reserve(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].values.size() > 1) mapped.push_back(i);
  }
  std::vector<SweepMap> maps;
  std::size_t cells = 0;
  const auto add_map = [&](std::size_t row, std::optional<std::size_t> column) {
    const std::size_t more = axes[row].values.size() * (column ? axes[*column].values.size() : 1);
    if (cells + more > most_cells) return;
    cells += more;
    maps.push_back({row, column, std::vector<SweepMapCell>(more)});
  };
  if (mapped.size() == 1) add_map(mapped.front(), std::nullopt);
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    for (std::size_t j = i + 1; j < mapped.size(); ++j) add_map(mapped[i], mapped[j]);
  }
  return maps;
}

}  // namespace

SweepCounts sweep_counts(const std::vector<SweepRow>& rows) {
  SweepCounts counts;
  std::map<std::string, std::pair<std::string, std::size_t>> reasons;  // by kind
  for (const SweepRow& row : rows) {
    ++counts.statuses[static_cast<std::size_t>(row.status)];
    if (row.simulated()) continue;
    auto& [text, count] = reasons[kind_of_reason(row.reason)];
    text = count == 0 ? row.reason : merged(text, row.reason);
    ++count;
  }
  counts.reasons.reserve(reasons.size());
  for (auto& [kind, reason] : reasons) counts.reasons.push_back(std::move(reason));
  std::stable_sort(counts.reasons.begin(), counts.reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return counts;
}

std::vector<SweepMap> sweep_maps(const SweepGrid& grid, const std::vector<SweepRow>& rows,
                                 std::size_t most_cells) {
  std::vector<SweepMap> maps = empty_maps(grid, most_cells);
  for (const SweepRow& row : rows) {
    const std::vector<std::size_t> choice = grid.choice(row.index);
    for (SweepMap& map : maps) {
      std::size_t cell = choice[map.row_axis];
      if (map.column_axis)
        cell = cell * grid.axes()[*map.column_axis].values.size() + choice[*map.column_axis];
      add(map.cells[cell], row);
    }
  }
  return maps;
}

std::vector<const SweepRow*> pareto_front(const std::vector<SweepRow>& rows,
                                          const SweepFigure& across, const SweepFigure& up) {
  std::vector<std::tuple<double, double, std::uint64_t, const SweepRow*>> sorted;
  sorted.reserve(rows.size());
  for (const SweepRow& row : rows) {
    if (row.status == SweepStatus::ok) sorted.emplace_back(across(row), up(row), row.index, &row);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<const SweepRow*> front;
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto& [x, y, index, row] : sorted) {
    if (y >= lowest) continue;
    lowest = y;
    front.push_back(row);
  }
  return front;
}

}  // namespace simtrain
