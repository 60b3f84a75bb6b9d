#pragma once

#include <string>
#include <vector>

#include "sim/measured/measured_report.h"
#include "sim/measured/training_metrics.h"

namespace simtrain {

/// An input of a run's figures, and where it comes from.
struct InputOrigin {
  std::string label;
  std::string value;
  std::string source;
};

/// All inputs that are known, for people.
std::vector<InputOrigin> input_origins(const RunFacts& facts);

/// Which steps of a log count: "34 of 50; the log has steps 0 to 49".
std::string steps_text(const MeasuredRun& run);

/// One run for people: figures, where each input comes from, what is missing, which lines were
/// skipped and why.
std::string metrics_text(const MeasuredReport& report);

/// A line a run: status, mean and standard deviation of step time and logged TFLOP/s, in the layout
/// of DGX Cloud's parse_train_timing.sh; behind it why a run is no success and which lines were
/// skipped. Names are shortened to 90 columns unless `full_names`.
std::string metrics_table(const std::vector<MeasuredReport>& reports, bool full_names);

/// Schema `simtrain.metrics/1`: all runs, with the steps of their windows.
std::string metrics_json(const std::vector<MeasuredReport>& reports);

/// A line a run, all figures; an empty cell for what is not known.
std::string metrics_csv(const std::vector<MeasuredReport>& reports);

/// The lines that the training_metrics tool prints.
std::string training_metrics_text(const TrainingMetrics& metrics);

/// Lines skipped, steps repeated: for standard error; empty where there are none.
std::string skipped_text(const MeasuredRun& run);

/// Lines skipped of so many: the first by number, all by reason; empty where there are none.
std::string skipped_text(const SkippedLines& skipped, std::int64_t lines,
                         std::string_view unit = "lines");

}  // namespace simtrain
