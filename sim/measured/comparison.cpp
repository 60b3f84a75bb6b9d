#include "sim/measured/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "sim/run/analysis/communication.h"
#include "sim/run/uncertainty/kind_error.h"

namespace simtrain {
namespace {

constexpr double kStretched = 3;

/// What the calls of a share's group take, hidden or not; at least what is exposed.
std::optional<double> most_of(const Report& report, Share share) {
  const std::string_view group = group_name(share);
  if (group.empty()) return std::nullopt;
  double hidden = 0;
  for (const CommunicationRow& row : report.communication) {
    if (row.group == group) hidden += std::max(0.0, row.total_s - row.exposed_s);
  }
  return part(report.breakdown, share) + hidden;
}

Plausibility plausibility_of(const GapExplanation& e) {
  if (e.needed_s < 0 || (e.most_s && e.needed_s > *e.most_s)) return Plausibility::impossible;
  if (e.deviations <= kNineOfTen) return Plausibility::plausible;
  return e.deviations <= kStretched ? Plausibility::stretched : Plausibility::unlikely;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

Comparison compare(const Report& report, const UncertaintySpec& uncertainty,
                   const PredictedStep& predicted, const MeasuredRun& run) {
  std::vector<double> seconds;
  seconds.reserve(run.steps.size());
  for (const MeasuredStep& step : run.steps) seconds.push_back(step.seconds);
  Comparison result;
  result.predicted_s = report.step_time_s;
  result.interval = report.step_time_interval();
  result.measured_s = statistics(seconds, run.window.deviation);
  result.median_s = median(seconds);
  result.gap_s = result.measured_s.mean - report.step_time_s;
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    GapExplanation e;
    e.share = share;
    e.predicted_s = part(report.breakdown, share);
    if (e.predicted_s <= 0) continue;
    e.needed_s = e.predicted_s + result.gap_s;
    e.error_s = e.predicted_s * relative_error_of(uncertainty, share, predicted);
    e.most_s = most_of(report, share);
    e.deviations = std::abs(result.gap_s) / e.error_s;
    e.plausibility = plausibility_of(e);
    result.explanations.push_back(e);
  }
  std::stable_sort(result.explanations.begin(), result.explanations.end(),
                   [](const GapExplanation& a, const GapExplanation& b) {
                     return std::pair(a.plausibility, a.deviations) <
                            std::pair(b.plausibility, b.deviations);
                   });
  return result;
}

}  // namespace simtrain
