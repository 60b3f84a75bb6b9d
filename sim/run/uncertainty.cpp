#include "sim/run/uncertainty.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace simtrain {
namespace {

bool always_holds(const KindError& row) {
  return !row.gpu && !row.precision && !row.head_dimension;
}

bool holds(const KindError& row, const PredictedStep& step) {
  return row.gpu.value_or(step.gpu) == step.gpu &&
         row.precision.value_or(step.precision) == step.precision &&
         row.head_dimension.value_or(step.head_dimension) == step.head_dimension;
}

double squared(double value) { return value * value; }

double error_of(const UncertaintySpec& spec, Share share, const PredictedStep& step) {
  const auto row =
      std::find_if(spec.kinds.begin(), spec.kinds.end(), [&](const KindError& candidate) {
        return candidate.share == share && holds(candidate, step);
      });
  return row == spec.kinds.end() ? 0 : row->relative_error.value;
}

}  // namespace

UncertaintySpec load_uncertainty(const DataFolder& data) {
  auto spec = data.load<UncertaintySpec>("hardware", "uncertainty", {data.root()}, "hardware");
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    if (std::none_of(spec.kinds.begin(), spec.kinds.end(), [kind = share](const KindError& row) {
          return row.share == kind && always_holds(row);
        }))
      throw InputError(spec.where, "kinds",
                       fmt::format("has no row of '{}' without conditions", name));
  }
  return spec;
}

double relative_standard_error(const UncertaintySpec& spec, const PredictedStep& step) {
  double variance = squared(spec.run_to_run.value);
  for (const auto& [name, share] : EnumNames<Share>::rows)
    variance += squared(part(step.breakdown, share) / step.time_s * error_of(spec, share, step));
  const double nodes = static_cast<double>(step.gpus) / step.gpus_per_node;
  variance += squared(std::log2(std::max(1.0, nodes)) * spec.per_doubling.value);
  return std::sqrt(variance);
}

Interval interval_90(double time, double relative_error) {
  constexpr double kNormal95 = 1.6448536269514722;  // 5 % lie above
  const double factor = std::exp(kNormal95 * relative_error);
  return {time / factor, time * factor};
}

}  // namespace simtrain
