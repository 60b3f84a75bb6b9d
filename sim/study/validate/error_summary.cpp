#include "sim/study/validate/error_summary.h"

#include <algorithm>
#include <cmath>

namespace simtrain {

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

ErrorSummary error_summary(const std::vector<double>& errors) {
  ErrorSummary summary;
  summary.points = errors.size();
  if (errors.empty()) return summary;
  std::vector<double> absolute;
  absolute.reserve(errors.size());
  for (const double error : errors) {
    absolute.push_back(std::abs(error));
    summary.mean += std::abs(error);
    summary.bias += error;
  }
  summary.mean /= static_cast<double>(errors.size());
  summary.bias /= static_cast<double>(errors.size());
  summary.median = quantile(absolute, 0.5);
  summary.percentile_90 = quantile(std::move(absolute), 0.9);
  return summary;
}

}  // namespace simtrain
