#include "sim/study/fit/calibrate.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "sim/core/input/text_parts.h"
#include "sim/core/suggestion.h"

namespace simtrain {

SlopedFit fit_all(const StepTimeFit& fit, const FitPoint& start) {
  const std::vector<bool> all(fit.rows().size(), true);
  const Fit rough = fit.fit(start, fit.slopes(start), all);
  std::vector<std::vector<double>> slopes = fit.slopes(rough.point);
  return {fit.fit(rough.point, slopes, all), std::move(slopes)};
}

bool Calibration::at_end(std::size_t parameter) const {
  const auto& [least, most] = parameters[parameter].range;
  const double value = values[parameter];
  const double near = 1e-9 * (most - least);
  return value <= least + near || value >= most - near;
}

Calibration calibrate(const StepTimeFit& fit) {
  const FitPoint start = fit.start();
  const Fit best = fit_all(fit, start).fit;
  const std::size_t n = best.point.at.size();
  const auto deviation = [&](std::size_t j) { return std::sqrt(best.covariance[j * n + j]); };
  Calibration result;
  result.parameters = fit.parameters();
  result.values = fit.values(best.point.at);
  result.discrepancy = best.discrepancy;
  result.converged = best.converged;
  result.standard_errors.reserve(n);
  result.correlation.reserve(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    result.standard_errors.push_back(deviation(j) * result.parameters[j].prior.standard_error);
    for (std::size_t k = 0; k < n; ++k)
      result.correlation.push_back(best.covariance[j * n + k] / (deviation(j) * deviation(k)));
  }
  for (std::size_t i = 0; i < fit.rows().size(); ++i) {
    result.before.push_back(compared(fit.rows()[i], start.predictions[i]));
    result.after.push_back(compared(fit.rows()[i], best.point.predictions[i]));
  }
  return result;
}

std::vector<StepTime> selected(const std::vector<StepTime>& rows, const std::string& names) {
  std::set<std::string> known;
  for (const StepTime& row : rows) known.insert({row.group, row.series()});
  std::set<std::string> wanted;
  if (names.empty()) throw InputError({}, "--rows", "names no groups or tables");
  for (const std::string_view part : split(names, ',')) {
    const std::string name(part);
    if (known.count(name) == 0)
      throw InputError({}, "--rows",
                       fmt::format("'{}' is no group or table; {}", name,
                                   suggestion(name, {known.begin(), known.end()})));
    wanted.insert(name);
  }
  std::vector<StepTime> result;
  for (const StepTime& row : rows) {
    if (wanted.count(row.group) + wanted.count(row.series()) > 0) result.push_back(row);
  }
  return result;
}

}  // namespace simtrain
