#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/study/validate/validate.h"

namespace simtrain {

// Drawings of a validation as <svg> elements; each mark tells its values to those who point at it.

/// A documented run in the scatter; its figures hold a step time.
struct ScatterPoint {
  const TableResult* table;
  const RunResult* run;
};

/// What stands below a scatter.
enum class ScatterBase { step_time, gpus };

/// What the marks of scatters of these points mean.
std::string scatter_legend(const std::vector<ScatterPoint>& points);

/// Errors of step times, predicted over measured, against the measured time or the size of the job:
/// a colour a group, circles for BF16 and diamonds for FP8, a stroke for the 90 % interval, with
/// the line of no error and a band of 5 % around it.
std::string error_scatter(const std::vector<ScatterPoint>& points, ScatterBase base);

/// A bar from the middle to the error of a run's step time, at most `largest` either way, and a
/// stroke over its 90 % interval.
std::string error_bar(const RunResult& run, double largest);

/// Where a predicted step goes, as one stacked bar; a mark stands at the measured step time.
/// `longest_s` is the step time that fills the width.
std::string breakdown_bar(const RunResult& run, double longest_s);

/// What the colours of the bars mean.
std::string breakdown_legend();

/// CSS of the drawings.
std::string chart_style();

}  // namespace simtrain
