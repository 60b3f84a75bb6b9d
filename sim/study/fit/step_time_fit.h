#pragma once

#include <vector>

#include "sim/core/watch.h"
#include "sim/study/fit/parameters/parameters.h"
#include "sim/study/fit/step_times.h"

namespace simtrain {

/// Values of the parameters, in standard errors of their priors from the prior's value, and what
/// every row is predicted with them.
struct FitPoint {
  std::vector<double> at;
  std::vector<StepTimePrediction> predictions;
};

/// Where a fit ended.
struct Fit {
  FitPoint point;
  std::vector<double> covariance;  ///< row-major, as `FitPoint::at`
  double discrepancy = 0;          ///< standard deviation of a series' error that no value removes
  bool converged = false;
};

/// Fits parameters to step times. It makes
///
///     sum_series mean_rows (log(predicted / measured) / discrepancy)^2
///         + sum_parameters ((value - prior) / standard error of the prior)^2
///
/// least, values in their ranges. A series (one precision of a group) counts as one observation
/// however many rows it has, since these share a recipe and so their error. The discrepancy is
/// estimated with the values, from what the series leave and how many parameters they determine,
/// and is at least the run-to-run deviation. Steps are Gauss-Newton, each solved as a linear
/// least-squares problem; derivatives are differences over a quarter of a prior's standard error,
/// less in a narrower range.
class StepTimeFit {
 public:
  /// `watch` receives the evaluations, each of which predicts all rows, and of about how many the
  /// fit of all rows and `more_fits` take.
  StepTimeFit(const DataFolder& data, std::vector<FittedParameter> parameters,
              std::vector<StepTime> rows, Watch watch = {}, std::size_t more_fits = 0);

  [[nodiscard]] const std::vector<FittedParameter>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<StepTime>& rows() const { return rows_; }

  /// The values that the hardware files hold.
  [[nodiscard]] FitPoint start() const;

  /// Derivatives of the rows' log errors at a point: by row, then parameter.
  [[nodiscard]] std::vector<std::vector<double>> slopes(const FitPoint& point) const;

  /// Fits to the rows that are `used`, from a point with slopes that hold about there.
  [[nodiscard]] Fit fit(const FitPoint& from, const std::vector<std::vector<double>>& slopes,
                        const std::vector<bool>& used) const;

  /// The values in the parameters' units.
  [[nodiscard]] std::vector<double> values(const std::vector<double>& at) const;

 private:
  [[nodiscard]] FitPoint evaluate(std::vector<double> at) const;
  void notify() const;
  [[nodiscard]] std::vector<double> row_shares(const std::vector<bool>& used) const;
  [[nodiscard]] std::vector<double> errors(const FitPoint& point) const;

  DataFolder data_;
  std::vector<FittedParameter> parameters_;
  std::vector<StepTime> rows_;
  double run_to_run_;
  Watch watch_;
  std::size_t expected_;               ///< evaluations
  mutable std::size_t evaluated_ = 0;  ///< of them, for `watch` alone
};

}  // namespace simtrain
