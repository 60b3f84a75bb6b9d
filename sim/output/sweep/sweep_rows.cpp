#include "sim/output/sweep/sweep_rows.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <string_view>

#include <H5Cpp.h>
#include <fmt/format.h>

#include "sim/core/files/csv_file.h"
#include "sim/core/files/text_file.h"
#include "sim/core/input/number_text.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/json_text.h"
#include "sim/output/sweep/sweep_table.h"

namespace simtrain {
namespace {

/// A file's cells of one candidate: texts by column, empty where it has none.
using CellsOfRow = std::map<std::string, std::string, std::less<>>;

/// Cells as figures; "" is 0. Throws std::invalid_argument where a text is no such number.
template <class Number>
Number number_of(const CellsOfRow& cells, std::string_view column, int base = 10) {
  const auto cell = cells.find(column);
  if (cell == cells.end()) throw std::invalid_argument(fmt::format("no column '{}'", column));
  const std::string& text = cell->second;
  if (text.empty()) return {};
  const auto number = number_as<Number>(text, base);
  if (!number) throw std::invalid_argument(fmt::format("'{}' in column '{}'", text, column));
  return *number;
}

/// A figure of a simulated row. Throws std::invalid_argument where there is none or none that a
/// simulation gives.
double figure_of(const CellsOfRow& cells, std::string_view column, Limits limits) {
  const auto figure = number_of<double>(cells, column);
  const std::string& text = cells.find(column)->second;
  if (text.empty() || !(figure >= limits.least && figure <= limits.most))
    throw std::invalid_argument(fmt::format("'{}' in column '{}'", text, column));
  return figure;
}

SweepStatus status_of(const CellsOfRow& cells) {
  const auto cell = cells.find("status");
  for (const auto& [name, status] : EnumNames<SweepStatus>::rows) {
    if (cell != cells.end() && cell->second == name) return status;
  }
  throw std::invalid_argument("an unknown status");
}

/// Throws std::invalid_argument where the row has other values than the grid has at its place.
void check_axis(const CellsOfRow& cells, const SweepColumn& column, const SweepRow& row) {
  const SweepCell cell = column.cell(row);
  bool same = false;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    same = number_of<std::int64_t>(cells, column.name) == *whole;
  } else if (const auto* real = std::get_if<double>(&cell)) {
    same = number_of<double>(cells, column.name) == *real;
  } else {
    const auto text = cells.find(column.name);
    same = text != cells.end() && text->second == std::get<std::string>(cell);
  }
  if (!same)
    throw std::invalid_argument(
        fmt::format("column '{}' is not that of this place in the grid", column.name));
}

void add_figures(const CellsOfRow& cells, SweepRow& row) {
  constexpr double kMost = 1e18;
  constexpr Limits kSome{1e-12, kMost};
  constexpr Limits kAny{0, kMost};
  row.step_time_s = figure_of(cells, "step_time_s", kSome);
  row.step_time_interval = {figure_of(cells, "step_time_low_s", {0, row.step_time_s}),
                            figure_of(cells, "step_time_high_s", {row.step_time_s, kMost})};
  row.tokens_per_s = figure_of(cells, "tokens_per_s", kSome);
  row.tflops_per_gpu = figure_of(cells, "tflops_per_gpu", kAny);
  row.mfu = figure_of(cells, "mfu", kAny);
  row.peak_bytes = figure_of(cells, "peak_memory_bytes", kAny);
  row.total_bytes = figure_of(cells, "total_memory_bytes", kAny);
  row.capacity_bytes = figure_of(cells, "memory_capacity_bytes", kAny);
  row.joules_per_token = figure_of(cells, "joules_per_token", kAny);
  row.usd_per_1t_tokens = figure_of(cells, "usd_per_1t_tokens", kAny);
  if (row.status == SweepStatus::ok && row.total_bytes > row.capacity_bytes)
    throw std::invalid_argument("status 'ok' with more memory than the GPU has");
  const Limits share{-1e-6 * row.step_time_s, kMost};  // rounding may leave one a little below 0
  for (std::size_t i = 0; i < kShares; ++i)
    row.breakdown[i] = figure_of(cells, std::string(EnumNames<Share>::rows[i].first) + "_s", share);
  row.fingerprint = number_of<std::uint64_t>(cells, "fingerprint", 16);
}

/// `axes` are the columns of the varied keys.
SweepRow row_from(const CellsOfRow& cells, std::uint64_t expected,
                  const std::vector<SweepColumn>& axes) {
  SweepRow row;
  row.index = number_of<std::uint64_t>(cells, "index");
  if (row.index != expected) throw std::invalid_argument("rows are missing or out of order");
  row.status = status_of(cells);
  const auto reason = cells.find("reason");
  if (reason != cells.end()) row.reason = reason->second;
  for (const SweepColumn& column : axes) check_axis(cells, column, row);
  row.gpus = number_of<int>(cells, "gpus");
  row.dp = number_of<int>(cells, "dp");
  const int least = row.simulated() ? 1 : 0;
  if (row.gpus < least || row.dp < least)
    throw std::invalid_argument(fmt::format("{} GPUs, DP {}", row.gpus, row.dp));
  if (row.simulated()) add_figures(cells, row);
  return row;
}

/// Takes rows one by one in the order of the grid.
class RowTaker {
 public:
  RowTaker(const std::string& path, const SweepQuestion& question)
      : path_(path), size_(question.grid.size()) {
    const std::vector<SweepColumn> columns = sweep_columns(question);
    const auto first = columns.begin() + 1;
    axes_.assign(first, first + static_cast<std::ptrdiff_t>(question.grid.axes().size()));
    rows_.reserve(size_);
  }
  void take(const CellsOfRow& cells) {
    try {
      rows_.push_back(row_from(cells, rows_.size(), axes_));
    } catch (const std::invalid_argument& error) {
      refuse(fmt::format("row {}: {}", rows_.size(), error.what()));
    }
  }
  std::vector<SweepRow> finish() {
    if (rows_.size() != size_) refuse(fmt::format("{} of {} rows", rows_.size(), size_));
    return std::move(rows_);
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError({path_}, "", fmt::format("is damaged: {}; --force does the sweep anew", what));
  }

 private:
  const std::string& path_;
  std::uint64_t size_;
  std::vector<SweepColumn> axes_;  ///< of the varied keys
  std::vector<SweepRow> rows_;
};

/// No row of the question's table is longer than this reckons, whatever quotes and escapes it has.
TextFileKind table_of(const SweepQuestion& question) {
  constexpr std::size_t kFigures = std::size_t{1} << 16U;
  constexpr std::size_t kEscaped = 6;
  std::size_t row = kFigures;
  for (const SweepAxis& axis : question.grid.axes()) {
    std::size_t longest = axis.column.size();
    for (const std::string& text : axis.texts) longest = std::max(longest, text.size());
    row += kEscaped * longest;
  }
  return {"a sweep's table", 1 + (question.grid.size() * row >> 20U)};
}

std::vector<SweepRow> json_rows(const std::string& path, const SweepQuestion& question,
                                RowTaker& taker) {
  const auto json = parse_json(read_text_file(path, table_of(question)));
  if (!json.is_object() || !json.contains("rows") || !json["rows"].is_array())
    taker.refuse("no whole JSON");
  for (const nlohmann::json& row : json["rows"]) {
    if (!row.is_object()) taker.refuse("a row that is no object");
    CellsOfRow cells;
    for (const auto& [name, value] : row.items())
      cells[name] = value.is_null()     ? ""
                    : value.is_string() ? value.get<std::string>()
                                        : value.dump();
    taker.take(cells);
  }
  return taker.finish();
}

std::vector<SweepRow> csv_rows(const std::string& path, const SweepQuestion& question,
                               RowTaker& taker) {
  std::vector<std::string> names;
  for (const SweepColumn& column : sweep_columns(question)) names.push_back(column.name);
  for (const YamlNode& row : load_csv_text(read_text_file(path, table_of(question)), path, names)) {
    CellsOfRow cells;
    for (const std::string& name : names) cells[name] = "";
    for (const YamlEntry& entry : row.entries) cells[entry.key] = entry.value.text;
    taker.take(cells);
  }
  return taker.finish();
}

/// A column of texts, read in blocks: its type may be much longer than its texts.
std::vector<std::string> hdf5_texts(const H5::DataSet& data, const std::string& name,
                                    std::uint64_t count) {
  constexpr std::uint64_t kBlock = 4096;
  const H5::StrType type = data.getStrType();
  const std::size_t longest = type.getSize();
  if (type.isVariableStr() || longest > SweepAxis::kLongestText)
    throw std::invalid_argument(fmt::format("'{}' is of another type", name));
  std::vector<std::string> texts;
  texts.reserve(count);
  std::string bytes(longest * std::min(count, kBlock), '\0');
  H5::DataSpace place = data.getSpace();
  while (texts.size() < count) {
    const hsize_t first = texts.size();
    const hsize_t rows = std::min<hsize_t>(count - first, kBlock);
    place.selectHyperslab(H5S_SELECT_SET, &rows, &first);
    data.read(bytes.data(), type, H5::DataSpace(1, &rows), place);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string_view cell = std::string_view(bytes).substr(i * longest, longest);
      texts.emplace_back(cell.substr(0, cell.find('\0')));
    }
  }
  return texts;
}

/// One column of an HDF5 file as texts, `count` of them; `signless` ones hold -1 for nothing.
/// Throws std::invalid_argument where it is not as long.
std::vector<std::string> hdf5_column(const H5::Group& rows, const SweepColumn& column,
                                     std::uint64_t count, bool signless) {
  const H5::DataSet data = rows.openDataSet(column.name);
  const H5::DataSpace space = data.getSpace();
  if (space.getSimpleExtentNdims() != 1 ||
      space.getSimpleExtentNpoints() != static_cast<hssize_t>(count))
    throw std::invalid_argument(fmt::format("'{}' is not as long as the sweep", column.name));
  const H5T_class_t stored = column.kind == SweepCellKind::text    ? H5T_STRING
                             : column.kind == SweepCellKind::whole ? H5T_INTEGER
                                                                   : H5T_FLOAT;
  if (data.getTypeClass() != stored)
    throw std::invalid_argument(fmt::format("'{}' is of another type", column.name));
  if (column.kind == SweepCellKind::text) return hdf5_texts(data, column.name, count);
  std::vector<std::string> texts;
  texts.reserve(count);
  if (column.kind == SweepCellKind::whole) {
    std::vector<std::int64_t> values(count);
    data.read(values.data(), H5::PredType::NATIVE_INT64);
    for (const std::int64_t value : values)
      texts.push_back(signless && value == -1 ? "" : std::to_string(value));
  } else {
    std::vector<double> values(count);
    data.read(values.data(), H5::PredType::NATIVE_DOUBLE);
    for (const double value : values)
      texts.push_back(std::isnan(value) ? "" : fmt::format("{}", value));
  }
  return texts;
}

std::vector<SweepRow> hdf5_rows(const std::string& path, const SweepQuestion& question,
                                RowTaker& taker) {
  const std::size_t axes = question.grid.axes().size();
  std::map<std::string, std::vector<std::string>> columns;
  try {
    H5::Exception::dontPrint();
    const H5::Group rows = H5::H5File(path, H5F_ACC_RDONLY).openGroup("/rows");
    const std::vector<SweepColumn> all = sweep_columns(question);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool varied = i > 0 && i <= axes;
      if (all[i].name != "question")
        columns[all[i].name] = hdf5_column(rows, all[i], question.grid.size(), !varied);
    }
  } catch (const H5::Exception& error) {
    taker.refuse(error.getDetailMsg());
  } catch (const std::invalid_argument& error) {
    taker.refuse(error.what());
  }
  for (std::uint64_t i = 0; i < question.grid.size(); ++i) {
    CellsOfRow cells;
    for (const auto& [name, texts] : columns) cells[name] = texts[i];
    taker.take(cells);
  }
  return taker.finish();
}

}  // namespace

std::vector<SweepRow> sweep_rows(const std::string& path, const SweepQuestion& question) {
  RowTaker taker(path, question);
  const int first = std::ifstream(path, std::ios::binary).get();
  if (first == 0x89) return hdf5_rows(path, question, taker);
  return first == '{' ? json_rows(path, question, taker) : csv_rows(path, question, taker);
}

}  // namespace simtrain
