#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/measured/run/measured_run.h"
#include "sim/measured/run/own_window.h"
#include "sim/measured/run/step_table.h"
#include "sim/measured/run/step_window.h"

namespace simtrain {

/// What a reader makes of one record.
struct StepRecord {
  MeasuredStep step;
  double consumed_samples = kNotLogged;  ///< by the end of this step
  double global_batch_size = kNotLogged;
  double peak_memory_bytes = kNotLogged;
};

/// Collects what a reader finds in a log; the same for all formats.
class RunBuilder {
 public:
  /// `first_number` is what the format gives to the first step: 0 or 1. `tool` names the window
  /// that counts by default, which other steps may replace (OwnWindow); empty where one was
  /// asked for.
  RunBuilder(const StepWindow& window, std::string_view tool, std::int64_t first_number);

  /// A record that ends at a line. Skips it where its number or its time cannot be.
  void add(const StepRecord& record, std::int64_t line);
  void skip(std::int64_t line, std::string_view why);
  /// A key of the run's own configuration; of a key that comes again the first value stays.
  void configure(std::string_view key, std::string_view value);

  [[nodiscard]] std::int64_t steps_seen() const { return run_.steps_seen; }
  [[nodiscard]] std::int64_t skipped() const { return run_.skipped.count; }
  /// The run, where the log has ended. Call once.
  MeasuredRun take();

 private:
  void note_batch(const StepRecord& record);
  void take_own_window();

  MeasuredRun run_;
  StepTable table_;
  OwnWindow own_;
  std::int64_t first_number_;
  std::int64_t sampled_step_ = -1;  ///< the record before that gave its consumed samples
  double sampled_ = 0;
};

}  // namespace simtrain
