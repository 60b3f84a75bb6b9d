#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "sim/study/sweep/sweep_row.h"

namespace simtrain {

/// A sweep with the rows that are done, in the order of the grid.
struct SweepTable {
  const SweepQuestion& question;
  std::vector<SweepRow> rows;

  [[nodiscard]] bool complete() const { return rows.size() == question.grid.size(); }
};

/// A cell: nothing, a whole number, a number or a text.
using SweepCell = std::variant<std::monostate, std::int64_t, double, std::string>;

enum class SweepCellKind { whole, real, text };

/// A cell as CSV has it, quoted where it must be.
std::string csv_cell(const SweepCell& cell);

/// One column of a sweep's table, whatever it is written as.
struct SweepColumn {
  std::string name;
  std::string unit;  ///< empty: a count, a name or a share
  std::string meaning;
  SweepCellKind kind{};
  std::function<SweepCell(const SweepRow&)> cell;
};

/// Those of every sweep's JSON: index and figures, without the varied keys.
std::vector<SweepColumn> common_sweep_columns();

/// index, the varied keys, then the figures. Valid while the question is.
std::vector<SweepColumn> sweep_columns(const SweepQuestion& question);

/// The fewest step times first, of rows that fit; at most `most`.
std::vector<const SweepRow*> best_rows(const std::vector<SweepRow>& rows, std::size_t most);

/// Some rows that fit as lines of text, with a headline; empty without rows.
std::string best_table(const SweepQuestion& question, const std::vector<const SweepRow*>& rows);

/// The best ten, how many rows have which status, and why candidates are illegal.
std::string sweep_text(const SweepTable& table);

/// A line a row; empty cells where there is no figure.
std::string sweep_csv(const SweepTable& table);

/// Schema `simtrain.sweep/1`.
std::string sweep_json(const SweepTable& table);

}  // namespace simtrain
