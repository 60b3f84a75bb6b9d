#include "sim/output/sweep/sweep_hdf5.h"

#include <vector>

#include "sim/output/sweep/hdf5_table.h"

namespace simtrain {

std::string sweep_hdf5(const SweepTable& table) {
  std::vector<TableColumn> columns;
  for (const SweepColumn& column : sweep_columns(table.question)) {
    if (column.name == "question") continue;  // of the whole file
    columns.push_back(
        {column.name, column.unit, column.meaning, column.kind, [&table, cell = column.cell] {
           std::vector<SweepCell> cells;
           cells.reserve(table.rows.size());
           for (const SweepRow& row : table.rows) cells.push_back(cell(row));
           return cells;
         }});
  }
  for (const SweepAxis& axis : table.question.grid.axes()) {
    for (TableColumn& column : columns) {
      if (column.name == axis.column) column.key = axis.key;
    }
  }
  return hdf5_table(
      {{{"schema", "simtrain.sweep/1"},
        {"scenario", table.question.name},
        {"question", table.question.fingerprint}},
       {{"candidates", table.question.grid.size()}, {"complete", table.complete() ? 1U : 0U}},
       table.rows.size()},
      columns);
}

}  // namespace simtrain
