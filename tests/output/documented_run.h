#pragma once

#include <string>

#include "sim/study/validate/validate.h"

namespace simtrain::testing {

/// A figure printed as `printed`.
inline FigureResult figure(FigureName name, const std::string& printed, double predicted) {
  FigureResult result;
  result.figure = name;
  result.kind = name == FigureName::peak_memory ? FigureKind::peak : FigureKind::last_step;
  result.label = "label";
  result.printed = printed;
  result.measured = std::stod(printed);
  result.predicted = predicted;
  return result;
}

/// A run whose step time alone is printed; three quarters of it GEMMs, the rest bubble.
inline RunResult run(const std::string& row, const std::string& printed, double predicted,
                     double relative_error = 0) {
  RunResult result;
  result.row = row;
  result.column = row + " GPUs";
  result.report.gpus = 8;
  result.report.step_time_s = predicted;
  result.report.step_time_error.relative = relative_error;
  part(result.report.breakdown, Share::gemm) = predicted * 0.75;
  part(result.report.breakdown, Share::bubble) = predicted * 0.25;
  result.figures = {figure(FigureName::step_time, printed, predicted)};
  return result;
}

}  // namespace simtrain::testing
