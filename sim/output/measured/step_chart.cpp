#include "sim/output/measured/step_chart.h"

#include <algorithm>

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kColumns = 430;

/// The first step of a stretch with the shortest and the longest of it.
Json stretch(const MeasuredStep* first, const MeasuredStep* last) {
  const auto [least, most] = std::minmax_element(
      first, last,
      [](const MeasuredStep& a, const MeasuredStep& b) { return a.seconds < b.seconds; });
  return {first->number, least->seconds, most->seconds};
}

}  // namespace

Json step_chart(const std::vector<MeasuredStep>& steps) {
  Json points = Json::array();
  if (steps.size() <= kColumns) {
    for (const MeasuredStep& step : steps) points.push_back({step.number, step.seconds});
  } else {
    for (std::size_t column = 0; column < kColumns; ++column)
      points.push_back(stretch(steps.data() + column * steps.size() / kColumns,
                               steps.data() + (column + 1) * steps.size() / kColumns));
  }
  return {{"steps", std::move(points)}};
}

Json step_chart(const std::vector<MeasuredStep>& steps, const Comparison& comparison) {
  Json chart = step_chart(steps);
  chart.update({{"predicted", comparison.predicted_s},
                {"low", comparison.interval.low},
                {"high", comparison.interval.high}});
  return chart;
}

}  // namespace simtrain
