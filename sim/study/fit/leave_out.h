#pragma once

#include <string>
#include <vector>

#include "sim/study/fit/calibrate.h"

namespace simtrain {

/// What is left out together: all of a group, or one precision of it.
enum class LeftOut { group, table };

template <>
struct EnumNames<LeftOut> {
  static constexpr std::array rows{std::pair{std::string_view("group"), LeftOut::group},
                                   std::pair{std::string_view("table"), LeftOut::table}};
};

/// One of them, predicted with the fit to the others.
struct LeftOutPart {
  std::string name;
  std::vector<double> values;  ///< of the parameters, fitted to the others
  std::vector<ValidationRow> rows;
  std::vector<Interval> intervals;  ///< that the predictions state
  bool converged = false;
};

/// The groups or tables of the rows, in their order.
std::vector<std::string> names_of(const std::vector<StepTime>& rows, LeftOut what);

/// Each group or table of the rows in turn: fitted to all others, then predicted. To save runs,
/// fits start from the fit to all rows and keep its slopes. What is left out influences
/// its own prediction only where slopes change with the values: the end of a fit then depends on
/// them.
std::vector<LeftOutPart> leave_out(const StepTimeFit& fit, const SlopedFit& all, LeftOut what);

/// Errors over the rows of some parts, and how the stated 90 % intervals did on them.
struct LeftOutSummary {
  ValidationSummary errors;
  double covered = 0;     ///< share of the rows that lie in their interval
  double half_width = 0;  ///< mean of (high - low) / (2 predicted)
  double widening = 0;    ///< of the stated errors that would cover 90 % of the rows: a quantile
};
LeftOutSummary summarize(const std::vector<LeftOutPart>& parts);

}  // namespace simtrain
