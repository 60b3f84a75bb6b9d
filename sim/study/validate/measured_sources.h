#pragma once

#include <string>
#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/core/watch.h"
#include "sim/run/uncertainty/uncertainty.h"
#include "sim/study/validate/documented.h"
#include "sim/study/validate/error_summary.h"

namespace simtrain {

/// A run that no parameter was fitted to, against its prediction.
struct MeasuredSourceRow {
  std::string source;
  std::string framework;
  int year = 0;
  std::string gpu;
  Precision precision{};
  Grade grade{};
  StackKnowledge stack{};
  std::string scenario;  ///< file
  std::string row;
  double measured_s = 0;
  double predicted_s = 0;
  StepError error{};  ///< that the prediction states

  /// Predicted over measured, less one.
  [[nodiscard]] double relative() const { return predicted_s / measured_s - 1; }
  /// Whether the stated 90 % interval holds the run.
  [[nodiscard]] bool covered() const { return interval_90(predicted_s, error).holds(measured_s); }
};

/// Simulates the rows of all files of `validation/measured`, in the order of their names. Throws
/// InputError where a file or a scenario is wrong.
std::vector<MeasuredSourceRow> measured_sources(const DataFolder& data, const Watch& watch = {});

/// By how much runs of stacks that are known so well are slower than predicted, as a standard
/// deviation, where what is faster counts as 0. The most of three: of the mean logarithm of
/// measured over predicted by scenario (a recipe of a source), the root of the mean square, and
/// what its largest tenth exceeds over kNineOfTen; of the runs of a source, the root of their mean
/// square, and of sources the same (what a stranger's runs would be). 0 where there is none.
double slowness(const std::vector<MeasuredSourceRow>& rows, StackKnowledge known);

/// The rows with the error that they would state if it came from the other sources: the `slower`
/// term of each by slowness() over the rows of other sources.
std::vector<MeasuredSourceRow> with_errors_of_others(const std::vector<MeasuredSourceRow>& rows);

/// Some of the rows that have a property in common.
struct MeasuredGroup {
  std::string name;
  ErrorSummary errors;
  double covered = 0;         ///< share of the rows inside the interval that they state
  double covered_others = 0;  ///< inside that of with_errors_of_others()
};

/// Groups by one property, in the order of their names.
struct MeasuredGrouping {
  std::string by;
  std::vector<MeasuredGroup> groups;
};

/// By source, GPU, precision, framework, year, grade and knowledge of the stack; all rows together,
/// and those of grades A and B, come first.
std::vector<MeasuredGrouping> measured_groupings(const std::vector<MeasuredSourceRow>& rows);

}  // namespace simtrain
