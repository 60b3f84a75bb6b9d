#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/source_place.h"
#include "sim/core/sourced.h"
#include "sim/workload/model/recipe.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

class DataFolder;

/// How well one kind of time is known, where the conditions hold that are given: the relative
/// standard error of its share of the step, the same over the whole step.
struct KindError {
  Share share{};
  std::optional<std::string> gpu;
  std::optional<Precision> precision;  ///< of the recipe
  std::optional<std::int64_t> head_dimension;
  Sourced<double> relative_error;
  SourcePlace where;
};
template <>
struct Fields<KindError>;

/// How far a predicted step time may be from a measured one: `hardware/uncertainty.yaml`. Of each
/// share the first row whose conditions hold counts; the last row of a share has none.
struct UncertaintySpec {
  std::string name;
  Sourced<double> scale;       ///< of all that follow; makes intervals hold what they say they hold
  Sourced<double> run_to_run;  ///< relative standard deviation between two equal runs
  Sourced<double> per_doubling;  ///< what each doubling of the GPUs beyond one node adds
  std::vector<KindError> kinds;
  SourcePlace where;
};
template <>
struct Fields<UncertaintySpec>;

/// Throws InputError where a share has no row that always holds, or one behind it, which would
/// never count, and where a GPU is not known.
UncertaintySpec load_uncertainty(const DataFolder& data);

/// A predicted step, as far as its uncertainty depends on it.
struct PredictedStep {
  double time_s = 0;
  Breakdown breakdown{};
  std::string gpu;
  Precision precision{};
  std::int64_t head_dimension = 0;
  int gpus = 0;
  int gpus_per_node = 1;
};

/// Relative standard error of the step time:
///
///     scale * sqrt(sum_kinds (share of the step * error of the kind)^2
///                  + (doublings * per_doubling)^2 + run_to_run^2)
///
/// Kinds are taken as independent of each other, and each as wrong by the same factor wherever it
/// has in the step.
double relative_standard_error(const UncertaintySpec& spec, const PredictedStep& step);

/// So many standard deviations either side of the mean hold 9 of 10 normal values.
inline constexpr double kNineOfTen = 1.6448536269514722;

/// The ends of the interval that holds 9 of 10 measured step times.
struct Interval {
  double low = 0;
  double high = 0;
  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
};

/// time * exp(-+1.645 error): errors are taken as normal in the logarithm.
Interval interval_90(double time, double relative_error);

}  // namespace simtrain
