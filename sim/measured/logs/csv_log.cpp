#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/input/csv_cells.h"
#include "sim/core/input/text_parts.h"
#include "sim/measured/logs/log_format.h"
#include "sim/measured/logs/time_between.h"
#include "sim/measured/logs/value_names.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

/// A line of column names, then a line a step. Where no column is a step time, but one is when its
/// row was written, it is that between rows.
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
  [[nodiscard]] bool has(LoggedValue meaning) const {
    return std::find(columns_.begin(), columns_.end(), std::optional(meaning)) != columns_.end();
  }

  void read_head(const LogLine& line, RunBuilder& run) {
    if (!cells_.read(without_byte_order_mark(line.text))) return;
    bool several = false;
    for (const std::string_view name : cells_.all()) {
      auto meaning = logged_value(name);
      const bool again = meaning && has(*meaning);
      several |= again && is_step_time(*meaning);
      if (again) meaning.reset();  // the first column of a meaning counts
      columns_.push_back(meaning);
    }
    timed_ = has(LoggedValue::seconds) || has(LoggedValue::milliseconds) || has(LoggedValue::rate);
    is_csv_ = has(LoggedValue::number) && (timed_ || has(LoggedValue::clock));
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
    bool untimed = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i]) continue;
      const std::string_view cell = cells_.all()[i];
      untimed |= is_step_time(*columns_[i]) && trimmed(cell).empty();
      numbered |= read_cell(*columns_[i], cell, record);
    }
    // A history has rows of other things that were logged at a step, of a validation or an epoch.
    if (numbered && untimed) return;
    if (numbered && !timed_)
      record.step.seconds = times_.seconds(record.step.number, clock_).value_or(0);
    if (!numbered) {
      run.skip(line.number, "its step number is missing or no number");
    } else if (!timed_ && record.step.seconds == 0) {
      run.skip(line.number, TimeBetween::kFirst);
    } else {
      run.add(record, line.number);
    }
  }

  /// True for a step number.
  bool read_cell(LoggedValue meaning, std::string_view text, StepRecord& record) {
    if (meaning == LoggedValue::number) {
      const auto number = whole_number_in(text);
      if (number) record.step.number = *number;
      return number.has_value();
    }
    const double value = number_in(text).value_or(kNotLogged);
    if (meaning == LoggedValue::clock) {
      clock_ = value;
    } else if (meaning == LoggedValue::loss) {
      set_loss(record.step, text, std::nullopt);
    } else {
      set_value(meaning, value, record);
    }
    return false;
  }

  std::vector<std::optional<LoggedValue>> columns_;
  CsvCells cells_;
  bool is_csv_ = false;
  bool timed_ = false;  ///< a column holds step times; else they are those between rows
  double clock_ = 0;
  TimeBetween times_;
};

}  // namespace

const LogFormat kCsvLog{"csv", "a table with columns such as step and step_time_s",
                        "parse-train-timing", 0,
                        []() -> std::unique_ptr<LogReader> { return std::make_unique<CsvLog>(); }};

}  // namespace simtrain
