#include "sim/study/fit/leave_out.h"

#include <algorithm>
#include <cmath>

#include "sim/study/validate/error_summary.h"

namespace simtrain {
namespace {

std::string name_in(const StepTime& row, LeftOut what) {
  return what == LeftOut::group ? row.group : row.series();
}

LeftOutPart left_out(const StepTimeFit& fit, const SlopedFit& all, const std::string& name,
                     LeftOut what) {
  std::vector<bool> used;
  used.reserve(fit.rows().size());
  for (const StepTime& row : fit.rows()) used.push_back(name_in(row, what) != name);
  const Fit others = fit.fit(all.fit.point, all.slopes, used);
  LeftOutPart result{name, fit.values(others.point.at), {}, {}, others.converged};
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    const StepTimePrediction& prediction = others.point.predictions[i];
    result.rows.push_back(compared(fit.rows()[i], prediction));
    result.intervals.push_back(interval_90(prediction.predicted_s, prediction.error));
  }
  return result;
}

}  // namespace

std::vector<std::string> names_of(const std::vector<StepTime>& rows, LeftOut what) {
  std::vector<std::string> names;
  for (const StepTime& row : rows) {
    const std::string name = name_in(row, what);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<LeftOutPart> leave_out(const StepTimeFit& fit, const SlopedFit& all, LeftOut what) {
  std::vector<LeftOutPart> result;
  for (const std::string& name : names_of(fit.rows(), what))
    result.push_back(left_out(fit, all, name, what));
  return result;
}

LeftOutSummary summarize(const std::vector<LeftOutPart>& parts) {
  LeftOutSummary summary;
  std::vector<ValidationRow> rows;
  std::vector<double> widenings;
  for (const LeftOutPart& part : parts) {
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      const Interval& interval = part.intervals[i];
      if (interval.holds(part.rows[i].measured_s)) summary.covered += 1;
      summary.half_width += (interval.high - interval.low) / 2 / part.rows[i].predicted_s;
      const ValidationRow& row = rows.emplace_back(part.rows[i]);
      widenings.push_back(std::abs(std::log(row.measured_s / row.predicted_s)) /
                          std::log(interval.high / row.predicted_s));
    }
  }
  summary.widening = quantile(std::move(widenings), 0.9);
  summary.errors = summarize(rows);
  summary.covered /= static_cast<double>(rows.size());
  summary.half_width /= static_cast<double>(rows.size());
  return summary;
}

}  // namespace simtrain
