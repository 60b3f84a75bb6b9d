#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/input/csv_cells.h"
#include "sim/core/input/text_parts.h"
#include "sim/measured/logs/log_fields.h"
#include "sim/measured/logs/log_format.h"

namespace simtrain {
namespace {

enum class Meaning { number, seconds, milliseconds, tflops, loss, samples, batch };

struct ColumnName {
  std::string_view name;
  Meaning meaning;
};

/// What columns are called: by the frameworks, by their TensorBoard and Weights & Biases exports,
/// and by simtrain.
constexpr std::array<ColumnName, 21> kColumns{{
    {"step", Meaning::number},
    {"Step", Meaning::number},
    {"_step", Meaning::number},
    {"global_step", Meaning::number},
    {"trainer/global_step", Meaning::number},
    {"iteration", Meaning::number},
    {"step_time_s", Meaning::seconds},
    {"train_step_timing in s", Meaning::seconds},
    {"train_step_timing", Meaning::seconds},
    {"iteration-time", Meaning::seconds},
    {"step_time_ms", Meaning::milliseconds},
    {"elapsed time per iteration (ms)", Meaning::milliseconds},
    {"tflops_per_gpu", Meaning::tflops},
    {"TFLOPS_per_GPU", Meaning::tflops},
    {"throughput per GPU (TFLOP/s/GPU)", Meaning::tflops},
    {"loss", Meaning::loss},
    {"lm loss", Meaning::loss},
    {"reduced_train_loss", Meaning::loss},
    {"consumed_samples", Meaning::samples},
    {"consumed samples", Meaning::samples},
    {"global_batch_size", Meaning::batch},
}};

/// Weights & Biases put the run's name before: `run-7 - train_step_timing in s`.
std::optional<Meaning> meaning_of(std::string_view column) {
  const std::size_t dash = column.rfind(" - ");
  if (dash != std::string_view::npos) column.remove_prefix(dash + 3);
  column = trimmed(column);
  const auto found = std::find_if(kColumns.begin(), kColumns.end(),
                                  [&](const ColumnName& row) { return row.name == column; });
  return found == kColumns.end() ? std::nullopt : std::optional(found->meaning);
}

/// A line of column names, then a line a step.
class CsvLog final : public LogReader {
 public:
  void line(const LogLine& line, RunBuilder& run) override {
    if (line.number == 1 && columns_.empty()) {
      read_head(line, run);
    } else if (is_csv_) {
      read_row(line, run);
    }
  }

 private:
  [[nodiscard]] bool has(Meaning meaning) const {
    return std::find(columns_.begin(), columns_.end(), std::optional(meaning)) != columns_.end();
  }

  void read_head(const LogLine& line, RunBuilder& run) {
    if (!cells_.read(without_byte_order_mark(line.text))) return;
    bool several = false;
    for (const std::string_view name : cells_.all()) {
      auto meaning = meaning_of(name);
      const bool again = meaning && has(*meaning);
      several |= again && is_time(*meaning);
      if (again) meaning.reset();  // the first column of a meaning counts
      columns_.push_back(meaning);
    }
    is_csv_ = has(Meaning::number) && (has(Meaning::seconds) || has(Meaning::milliseconds));
    if (is_csv_ && several)
      run.skip(line.number, "names step times of several runs; only the first of them count");
  }

  void read_row(const LogLine& line, RunBuilder& run) {
    const bool whole = cells_.read(line.text) && cells_.all().size() == columns_.size();
    // The last row may end without a newline; a cell that is read may be cut there.
    if (!whole || (!line.ended && columns_.back())) {
      run.skip(line.number, "has not the cells of the first line, or is cut off");
      return;
    }
    StepRecord record;
    record.step.seconds = kNotLogged;
    bool numbered = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i]) numbered |= read_cell(*columns_[i], cells_.all()[i], record);
    }
    if (!numbered) {
      run.skip(line.number, "its step number is missing or no number");
    } else {
      run.add(record, line.number);
    }
  }

  /// True for a step number.
  static bool read_cell(Meaning meaning, std::string_view text, StepRecord& record) {
    const double value = number_in(text).value_or(kNotLogged);
    switch (meaning) {
      case Meaning::number:
        if (const auto number = whole_number_in(text)) {
          record.step.number = *number;
          return true;
        }
        return false;
      case Meaning::seconds:
        record.step.seconds = value;
        return false;
      case Meaning::milliseconds:
        record.step.seconds = value / 1e3;
        return false;
      case Meaning::tflops:
        record.step.tflops = value;
        return false;
      case Meaning::loss:
        set_loss(record.step, text, std::nullopt);
        return false;
      case Meaning::samples:
        record.consumed_samples = value;
        return false;
      case Meaning::batch:
        record.global_batch_size = value;
        return false;
    }
    return false;
  }

  static bool is_time(Meaning meaning) {
    return meaning == Meaning::seconds || meaning == Meaning::milliseconds;
  }

  std::vector<std::optional<Meaning>> columns_;
  CsvCells cells_;
  bool is_csv_ = false;
};

}  // namespace

const LogFormat kCsvLog{"csv", "a table with columns such as step and step_time_s",
                        "parse-train-timing", 0,
                        []() -> std::unique_ptr<LogReader> { return std::make_unique<CsvLog>(); }};

}  // namespace simtrain
