#include "sim/study/fit/step_time_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/study/fit/linear_fit.h"

namespace simtrain {
namespace {

constexpr double kSlopeStep = 0.25;   // in standard errors of the prior
constexpr double kTolerance = 0.005;  // the same
constexpr double kFirstDiscrepancy = 0.02;
constexpr int kMostRounds = 12;
constexpr std::size_t kUsualRounds = 2;  // with an evaluation each

/// How many of the values the rows determine, rather than the priors: each counts by how much
/// narrower than its prior it is.
double determined(const std::vector<double>& covariance, std::size_t values) {
  double result = 0;
  for (std::size_t j = 0; j < values; ++j) result += 1 - covariance[j * values + j];
  return result;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double result = 0;
  for (std::size_t j = 0; j < a.size(); ++j) result = std::max(result, std::abs(a[j] - b[j]));
  return result;
}

/// The range as distances from the prior, in its standard errors.
std::array<double, 2> range_of(const FittedParameter& parameter) {
  const auto& [value, error, source] = parameter.prior;
  return {(parameter.range[0] - value) / error, (parameter.range[1] - value) / error};
}

/// Upwards where there is room, else to the side that has more of it and at most to its end.
double slope_step(double at, const std::array<double, 2>& range) {
  const double above = range[1] - at;
  const double below = at - range[0];
  if (above >= std::min(kSlopeStep, below)) return std::min(kSlopeStep, above);
  return -std::min(kSlopeStep, below);
}

}  // namespace

StepTimeFit::StepTimeFit(const DataFolder& data, std::vector<FittedParameter> parameters,
                         std::vector<StepTime> rows, Watch watch, std::size_t more_fits)
    : data_(data),
      parameters_(std::move(parameters)),
      rows_(std::move(rows)),
      run_to_run_(load_uncertainty(data).run_to_run.value),
      watch_(std::move(watch)),
      expected_(1 + 2 * parameters_.size() + (2 + more_fits) * kUsualRounds) {}

void StepTimeFit::notify() const {
  ++evaluated_;
  if (watch_) watch_(evaluated_, std::max(expected_, evaluated_ + 1));
}

std::vector<double> StepTimeFit::values(const std::vector<double>& at) const {
  std::vector<double> result;
  result.reserve(at.size());
  for (std::size_t j = 0; j < at.size(); ++j) {
    const Prior& prior = parameters_[j].prior;
    result.push_back(prior.value + prior.standard_error * at[j]);
  }
  return result;
}

FitPoint StepTimeFit::evaluate(std::vector<double> at) const {
  const DataFolder data = with_values(data_, parameters_, values(at));
  FitPoint point{std::move(at), predict(data, rows_)};
  notify();
  return point;
}

FitPoint StepTimeFit::start() const {
  std::vector<double> at;
  at.reserve(parameters_.size());
  for (const FittedParameter& parameter : parameters_)
    at.push_back((parameter.current - parameter.prior.value) / parameter.prior.standard_error);
  FitPoint point{std::move(at), predict(data_, rows_)};
  notify();
  return point;
}

std::vector<double> StepTimeFit::errors(const FitPoint& point) const {
  std::vector<double> result;
  result.reserve(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    result.push_back(std::log(point.predictions[i].predicted_s / rows_[i].measured_s));
  return result;
}

std::vector<std::vector<double>> StepTimeFit::slopes(const FitPoint& point) const {
  const std::vector<double> here = errors(point);
  std::vector<std::vector<double>> result(rows_.size(), std::vector<double>(point.at.size()));
  for (std::size_t j = 0; j < point.at.size(); ++j) {
    std::vector<double> at = point.at;
    const double step = slope_step(at[j], range_of(parameters_[j]));
    at[j] += step;
    const std::vector<double> there = errors(evaluate(at));
    for (std::size_t i = 0; i < rows_.size(); ++i) result[i][j] = (there[i] - here[i]) / step;
  }
  return result;
}

std::vector<double> StepTimeFit::row_shares(const std::vector<bool>& used) const {
  std::map<std::string, double> counts;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (used[i]) ++counts[rows_[i].series()];
  }
  std::vector<double> shares;
  shares.reserve(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    shares.push_back(used[i] ? 1 / counts[rows_[i].series()] : 0);
  return shares;
}

Fit StepTimeFit::fit(const FitPoint& from, const std::vector<std::vector<double>>& slopes,
                     const std::vector<bool>& used) const {
  const std::vector<double> shares = row_shares(used);
  double series = 0;
  for (const double share : shares) series += share;
  LinearProblem problem{from.at, {}, slopes, {}, {}};
  for (const FittedParameter& parameter : parameters_) problem.range.push_back(range_of(parameter));
  Fit fit{from, {}, kFirstDiscrepancy, false};
  for (int round = 0; round < kMostRounds && !fit.converged; ++round) {
    problem.at = fit.point.at;
    problem.errors = errors(fit.point);
    problem.weights.clear();
    for (const double share : shares) problem.weights.push_back(std::sqrt(share) / fit.discrepancy);
    LinearFit step = solve(problem);
    const double moved = farthest(step.values, fit.point.at);
    if (moved > kTolerance) fit.point = evaluate(std::move(step.values));
    double sum = 0;
    const std::vector<double> left = errors(fit.point);
    for (std::size_t i = 0; i < left.size(); ++i) sum += shares[i] * left[i] * left[i];
    const double freedom = std::max(1.0, series - determined(step.covariance, parameters_.size()));
    const double discrepancy = std::max(run_to_run_, std::sqrt(sum / freedom));
    fit.converged =
        moved <= kTolerance && std::abs(discrepancy / fit.discrepancy - 1) <= kTolerance;
    fit.discrepancy = discrepancy;
    fit.covariance = std::move(step.covariance);
  }
  return fit;
}

}  // namespace simtrain
