#include "sim/output/sweep_rows.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <string_view>

#include <H5Cpp.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/core/csv_file.h"
#include "sim/core/text_file.h"
#include "sim/output/sweep_table.h"

namespace simtrain {
namespace {

/// What a file says of one candidate: texts by column, empty where it says nothing.
using CellsOfRow = std::map<std::string, std::string, std::less<>>;

/// Cells as figures; "" is 0. Throws std::invalid_argument where a text is no such number.
template <class Number>
Number number_of(const CellsOfRow& cells, std::string_view column, int base = 10) {
  const auto cell = cells.find(column);
  if (cell == cells.end()) throw std::invalid_argument(fmt::format("no column '{}'", column));
  const std::string& text = cell->second;
  if (text.empty()) return {};
  Number number{};
  const char* end = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::is_integral_v<Number>) {
    read = std::from_chars(text.data(), end, number, base);
  } else {
    read = std::from_chars(text.data(), end, number);
  }
  if (read.ec != std::errc() || read.ptr != end)
    throw std::invalid_argument(fmt::format("'{}' in column '{}'", text, column));
  return number;
}

SweepStatus status_of(const CellsOfRow& cells) {
  const auto cell = cells.find("status");
  for (const auto& [name, status] : EnumNames<SweepStatus>::rows) {
    if (cell != cells.end() && cell->second == name) return status;
  }
  throw std::invalid_argument("an unknown status");
}

SweepRow row_from(const CellsOfRow& cells, std::uint64_t expected) {
  SweepRow row;
  row.index = number_of<std::uint64_t>(cells, "index");
  if (row.index != expected) throw std::invalid_argument("rows are missing or out of order");
  row.status = status_of(cells);
  const auto reason = cells.find("reason");
  if (reason != cells.end()) row.reason = reason->second;
  row.gpus = number_of<int>(cells, "gpus");
  row.dp = number_of<int>(cells, "dp");
  if (!row.simulated()) return row;
  row.step_time_s = number_of<double>(cells, "step_time_s");
  row.step_time_interval = {number_of<double>(cells, "step_time_low_s"),
                            number_of<double>(cells, "step_time_high_s")};
  row.tokens_per_s = number_of<double>(cells, "tokens_per_s");
  row.tflops_per_gpu = number_of<double>(cells, "tflops_per_gpu");
  row.mfu = number_of<double>(cells, "mfu");
  row.peak_bytes = number_of<double>(cells, "peak_memory_bytes");
  row.total_bytes = number_of<double>(cells, "total_memory_bytes");
  row.capacity_bytes = number_of<double>(cells, "memory_capacity_bytes");
  for (std::size_t i = 0; i < kShares; ++i)
    row.breakdown[i] =
        number_of<double>(cells, std::string(EnumNames<Share>::rows[i].first) + "_s");
  row.fingerprint = number_of<std::uint64_t>(cells, "fingerprint", 16);
  if (!(row.step_time_s > 0) || !(row.tokens_per_s > 0))
    throw std::invalid_argument("a step without time");
  return row;
}

/// Takes rows one by one in the order of the grid.
class RowTaker {
 public:
  RowTaker(const std::string& path, const SweepQuestion& question)
      : path_(path), size_(question.grid.size()) {
    rows_.reserve(size_);
  }
  void take(const CellsOfRow& cells) {
    try {
      rows_.push_back(row_from(cells, rows_.size()));
    } catch (const std::invalid_argument& error) {
      refuse(error.what());
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
  std::vector<SweepRow> rows_;
};

constexpr TextFileKind kTable{"a sweep's table", std::size_t{1} << 14U};

std::vector<SweepRow> json_rows(const std::string& path, RowTaker& taker) {
  const auto json = nlohmann::json::parse(read_text_file(path, kTable), nullptr, false);
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
  for (const YamlNode& row : load_csv_text(read_text_file(path, kTable), path, names)) {
    CellsOfRow cells;
    for (const std::string& name : names) cells[name] = "";
    for (const YamlEntry& entry : row.entries) cells[entry.key] = entry.value.text;
    taker.take(cells);
  }
  return taker.finish();
}

/// One column of an HDF5 file as texts, `count` of them. Throws std::invalid_argument where it is
/// not as long.
std::vector<std::string> hdf5_column(const H5::Group& rows, const SweepColumn& column,
                                     std::uint64_t count) {
  constexpr std::size_t kLongestText = std::size_t{1} << 16U;
  const H5::DataSet data = rows.openDataSet(column.name);
  if (data.getSpace().getSimpleExtentNpoints() != static_cast<hssize_t>(count))
    throw std::invalid_argument(fmt::format("'{}' is not as long as the sweep", column.name));
  std::vector<std::string> texts;
  texts.reserve(count);
  if (column.kind == SweepCellKind::whole) {
    std::vector<std::int64_t> values(count);
    data.read(values.data(), H5::PredType::NATIVE_INT64);
    for (const std::int64_t value : values) texts.push_back(value < 0 ? "" : std::to_string(value));
  } else if (column.kind == SweepCellKind::real) {
    std::vector<double> values(count);
    data.read(values.data(), H5::PredType::NATIVE_DOUBLE);
    for (const double value : values)
      texts.push_back(std::isnan(value) ? "" : fmt::format("{}", value));
  } else {
    const H5::StrType type = data.getStrType();
    if (type.isVariableStr() || type.getSize() > kLongestText)
      throw std::invalid_argument(fmt::format("'{}' is of another type", column.name));
    std::string bytes(type.getSize() * count, '\0');
    data.read(bytes.data(), type);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string cell = bytes.substr(i * type.getSize(), type.getSize());
      texts.push_back(cell.substr(0, cell.find('\0')));
    }
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
      if (!varied && all[i].name != "question")
        columns[all[i].name] = hdf5_column(rows, all[i], question.grid.size());
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
  return first == '{' ? json_rows(path, taker) : csv_rows(path, question, taker);
}

}  // namespace simtrain
