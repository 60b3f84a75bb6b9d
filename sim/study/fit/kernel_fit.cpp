#include "sim/study/fit/kernel_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "sim/study/fit/kernel_validation.h"
#include "sim/study/fit/least_squares.h"
#include "sim/workload/kernels/streaming_kinds.h"

namespace simtrain {
namespace {

constexpr std::uint64_t kFolds = 5;
constexpr std::size_t kSparePoints = 4;

using Points = std::vector<const KernelPoint*>;

/// Where a parameter is in a GPU's description.
struct Parameter {
  std::string name;
  std::string unit;
  double unit_size = 1;
  std::function<double(const GpuSpec&)> read;
  std::function<void(GpuSpec&, double)> write;
  double most = std::numeric_limits<double>::infinity();
};

/// What one fit sets, from which points.
struct FitTask {
  KernelFamily family{};
  std::string variant;
  std::vector<Parameter> parameters;
  Points fitting;
  Points predicted;
};

/// All parameters are positive. Fitted is the logarithm, of a value with a limit that of its odds,
/// counted from 1 at the start: steps are relative, and no value reaches 0 or its limit.
double log_odds(const Parameter& parameter, double value) {
  return std::log(value / (1 - value / parameter.most));
}

double fitted_start(const Parameter& parameter, const GpuSpec& gpu) {
  return std::clamp(parameter.read(gpu), 0.1 * parameter.unit_size, 0.9 * parameter.most);
}

GpuSpec with_values(GpuSpec gpu, const std::vector<Parameter>& parameters,
                    const std::vector<double>& fitted) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const double odds = std::exp(log_odds(parameter, fitted_start(parameter, gpu)) + fitted[i] - 1);
    parameter.write(gpu, 1 / (1 / odds + 1 / parameter.most));
  }
  return gpu;
}

std::vector<Parameter> parameters_of(const GpuSpec& gpu, const Gemm& gemm) {
  std::size_t row = 0;
  while (gpu.gemm.rates[row].data_type != gemm.type) ++row;
  const auto of = [row](auto& spec) -> auto& { return spec.gemm.rates[row]; };
  std::vector<Parameter> parameters{
      {"burst", "TFLOP/s", 1e12, [of](const GpuSpec& g) { return of(g).burst.value(); },
       [of](GpuSpec& g, double value) { of(g).burst = FlopRate(value); }},
      {"wave_overhead", "us", 1e-6,
       [of](const GpuSpec& g) { return to_seconds(of(g).wave_overhead); },
       [of](GpuSpec& g, double value) { of(g).wave_overhead = to_duration(value); }},
      {"wave_sharpness", "", 1, [of](const GpuSpec& g) { return of(g).wave_sharpness; },
       [of](GpuSpec& g, double value) { of(g).wave_sharpness = value; }, 1}};
  if (row == 0) {  // one value for all data types
    parameters.push_back({"memory_efficiency", "", 1,
                          [](const GpuSpec& g) { return g.gemm.memory_efficiency.value; },
                          [](GpuSpec& g, double value) { g.gemm.memory_efficiency.value = value; },
                          1});
  }
  return parameters;
}

std::vector<Parameter> parameters_of(const GpuSpec& gpu, const Attention& attention) {
  std::size_t row = 0;
  while (gpu.attention[row].implementation != attention.implementation ||
         gpu.attention[row].direction != attention.direction)
    ++row;
  const auto of = [row](auto& spec) -> auto& { return spec.attention[row]; };
  std::vector<Parameter> parameters{
      {"rate", "TFLOP/s", 1e12, [of](const GpuSpec& g) { return of(g).rate.value(); },
       [of](GpuSpec& g, double value) { of(g).rate = FlopRate(value); }},
      {"half_rate_sequence", "tokens", 1,
       [of](const GpuSpec& g) { return of(g).half_rate_sequence; },
       [of](GpuSpec& g, double value) { of(g).half_rate_sequence = value; }},
      {"grid_penalty", "", 1, [of](const GpuSpec& g) { return of(g).grid_penalty; },
       [of](GpuSpec& g, double value) { of(g).grid_penalty = value; }}};
  const auto& shares = gpu.attention[row].head_dimension_shares;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i][1] == 1) continue;  // the dimension that `rate` is of
    parameters.push_back(
        {fmt::format("share of head dimension {}", shares[i][0]), "", 1,
         [of, i](const GpuSpec& g) { return of(g).head_dimension_shares[i][1]; },
         [of, i](GpuSpec& g, double value) { of(g).head_dimension_shares[i][1] = value; }});
  }
  return parameters;
}

std::vector<Parameter> parameters_of(const GpuSpec& /*gpu*/, const Streaming& streaming) {
  const auto share = row_of(streaming.kind).share;
  if (share == nullptr) return {};
  return {{"share of memory bandwidth", "", 1,
           [share](const GpuSpec& g) { return (g.streaming.*share).value; },
           [share](GpuSpec& g, double value) { (g.streaming.*share).value = value; }, 1}};
}

bool sets_parameters(const KernelPoint& point) {
  return point.family == KernelFamily::streaming ? point.shape != "below 64 MB"
         : point.family == KernelFamily::gemm    ? point.shape != "odd"
                                                 : true;
}

std::vector<FitTask> tasks_of(const GpuSpec& gpu, const std::vector<KernelPoint>& points) {
  std::map<std::pair<KernelFamily, std::string>, FitTask> tasks;
  for (const KernelPoint& point : points) {
    if (point.gpu != gpu.name || !point.fitted || point.run != KernelRun::burst || !point.kernel ||
        !has_row_for(gpu, *point.kernel))
      continue;
    FitTask& task = tasks[{point.family, point.variant}];
    task.predicted.push_back(&point);
    if (sets_parameters(point)) task.fitting.push_back(&point);
  }
  std::vector<FitTask> result;
  result.reserve(tasks.size());
  for (auto& [key, task] : tasks) {
    task.family = key.first;
    task.variant = key.second;
    task.parameters = std::visit([&](const auto& kernel) { return parameters_of(gpu, kernel); },
                                 *task.predicted.front()->kernel);
    if (task.fitting.size() >= task.parameters.size() + kSparePoints)
      result.push_back(std::move(task));
  }
  return result;
}

std::vector<double> ratios(const GpuSpec& gpu, const Points& points) {
  const FittedKernelModel model(gpu);
  std::vector<double> values;
  values.reserve(points.size());
  for (const KernelPoint* point : points)
    values.push_back(to_seconds(model.time(*point->kernel).time) / point->measured_s);
  return values;
}

LeastSquaresResult fit(const GpuSpec& gpu, const FitTask& task, const Points& points) {
  const auto residuals = [&](const std::vector<double>& fitted) {
    std::vector<double> values = ratios(with_values(gpu, task.parameters, fitted), points);
    for (double& value : values) value = std::log(value);
    return values;
  };
  return least_squares(std::vector<double>(task.parameters.size(), 1), residuals, 1e-4, 200);
}

std::vector<double> errors_of(const GpuSpec& gpu, const Points& points) {
  std::vector<double> errors = ratios(gpu, points);
  for (double& error : errors) error -= 1;
  return errors;
}

/// Predicts each fifth of the shapes by a fit to the others.
std::vector<LeftOutErrors> leave_out(const GpuSpec& gpu, const FitTask& task) {
  std::map<std::string, std::vector<double>> by_shape;
  for (std::uint64_t fold = 0; fold < kFolds; ++fold) {
    const auto inside = [fold](const KernelPoint* point) {
      return point->shape_hash % kFolds == fold;
    };
    Points others;
    Points left;
    std::copy_if(task.fitting.begin(), task.fitting.end(), std::back_inserter(others),
                 std::not_fn(inside));
    std::copy_if(task.predicted.begin(), task.predicted.end(), std::back_inserter(left), inside);
    if (others.size() < task.parameters.size()) continue;
    const GpuSpec fitted = with_values(gpu, task.parameters, fit(gpu, task, others).values);
    const std::vector<double> errors = errors_of(fitted, left);
    for (std::size_t i = 0; i < left.size(); ++i) by_shape[left[i]->shape].push_back(errors[i]);
  }
  std::vector<LeftOutErrors> result;
  result.reserve(by_shape.size());
  for (const auto& [shape, errors] : by_shape) result.push_back({shape, error_summary(errors)});
  return result;
}

FittedKernelParameter fitted_parameter(const Parameter& parameter, const GpuSpec& before,
                                       const GpuSpec& after, double log_odds_error) {
  constexpr double kNearLimit = 0.001;
  const double value = parameter.read(after);
  const double room = 1 - value / parameter.most;
  FittedKernelParameter result{parameter.name, parameter.unit};
  result.at_limit = room < kNearLimit;
  result.value = (result.at_limit ? parameter.most : value) / parameter.unit_size;
  result.standard_error = result.at_limit ? 0 : result.value * room * log_odds_error;
  result.in_file = parameter.read(before) / parameter.unit_size;
  return result;
}

KernelFit run(const GpuSpec& gpu, const FitTask& task) {
  const LeastSquaresResult found = fit(gpu, task, task.fitting);
  const auto freedom = static_cast<double>(task.fitting.size() - task.parameters.size());
  const double scatter = std::sqrt(found.residual_sum / freedom);
  const GpuSpec fitted = with_values(gpu, task.parameters, found.values);
  KernelFit result;
  result.family = task.family;
  result.variant = task.variant;
  result.converged = found.converged;
  result.parameters.reserve(task.parameters.size());
  for (std::size_t i = 0; i < task.parameters.size(); ++i)
    result.parameters.push_back(
        fitted_parameter(task.parameters[i], gpu, fitted, found.standard_errors[i] * scatter));
  result.fitted = error_summary(errors_of(fitted, task.fitting));
  result.left_out = leave_out(gpu, task);
  return result;
}

}  // namespace

std::vector<KernelFit> fit_kernels(const GpuSpec& gpu, const std::vector<KernelPoint>& points,
                                   const Watch& watch) {
  const std::vector<FitTask> tasks = tasks_of(gpu, points);
  std::vector<KernelFit> fits;
  fits.reserve(tasks.size());
  for (const FitTask& task : tasks) {
    fits.push_back(run(gpu, task));
    if (watch) watch(fits.size(), tasks.size());
  }
  return fits;
}

}  // namespace simtrain
