#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/measured/run/measured_run.h"
#include "sim/measured/run_metrics.h"
#include "sim/run/results/report.h"
#include "sim/run/uncertainty/uncertainty.h"

namespace simtrain {

enum class Plausibility { plausible, stretched, unlikely, impossible };

template <>
struct EnumNames<Plausibility> {
  static constexpr std::array rows{
      std::pair{std::string_view("plausible"), Plausibility::plausible},
      std::pair{std::string_view("stretched"), Plausibility::stretched},
      std::pair{std::string_view("unlikely"), Plausibility::unlikely},
      std::pair{std::string_view("impossible"), Plausibility::impossible}};
};

/// One share of the step, taken as the only one that is predicted wrong.
struct GapExplanation {
  Share share{};
  double predicted_s = 0;
  double needed_s = 0;           ///< what it would be, if it alone made the gap
  double error_s = 0;            ///< its standard error, by hardware/uncertainty.yaml
  std::optional<double> most_s;  ///< communication: all calls of its group, none of them hidden
  double deviations = 0;         ///< size of the gap in standard errors
  Plausibility plausibility{};
};

/// A predicted step and a measured one.
struct Comparison {
  double predicted_s = 0;
  Interval interval;  ///< holds 9 of 10 measured step times
  Statistics measured_s;
  double median_s = 0;                       ///< of the measured steps
  double gap_s = 0;                          ///< measured less predicted: what shares would add
  std::vector<GapExplanation> explanations;  ///< the most plausible first

  /// Predicted over measured, less one.
  [[nodiscard]] double error() const { return predicted_s / measured_s.mean - 1; }
  [[nodiscard]] bool inside() const { return interval.holds(measured_s.mean); }
};

/// Compares the mean of the steps of a run, at least one, with a prediction. A share explains the
/// gap
///
/// - plausibly, where it would be off by at most 1.645 of its standard errors, which it is in 9 of
///   10 cases,
/// - stretched, up to 3; beyond that it is unlikely,
/// - not possibly, where it would be negative or more than all communication of its group takes.
Comparison compare(const Report& report, const UncertaintySpec& uncertainty,
                   const PredictedStep& predicted, const MeasuredRun& run);

}  // namespace simtrain
