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
  std::optional<KernelKnowledge> kernels;  ///< of the GPU
  std::optional<Precision> precision;      ///< of the recipe
  std::optional<std::int64_t> head_dimension;
  std::optional<BlockKind> block;   ///< that layers of the model have
  bool unmeasured_machine = false;  ///< only where the machine at hand was not measured
  Sourced<double> relative_error;
  SourcePlace where;
};
template <>
struct Fields<KindError>;

/// What a stack of software adds that is known so well. A stack that is tuned less than the
/// modelled one costs time and never saves any: `slower` widens the interval on that side alone.
struct StackError {
  StackKnowledge known{};
  Sourced<double> relative_error;
  Sourced<double> slower;
};
template <>
struct Fields<StackError>;

/// By how much the step times of machines with this GPU differ: clocks, cooling, hosts, operators.
struct MachineError {
  std::optional<std::string> gpu;  ///< missing: every other
  Sourced<double> relative_error;
  SourcePlace where;
};
template <>
struct Fields<MachineError>;

/// How far a predicted step time may be from a measured one: `hardware/uncertainty.yaml`. Of each
/// share the first row whose conditions hold counts; the last row of a share has none.
struct UncertaintySpec {
  std::string name;
  Sourced<double> scale;       ///< of the kinds, doublings and noise, so that nine of ten rows hold
  Sourced<double> run_to_run;  ///< relative standard deviation between two equal runs
  Sourced<double> per_doubling;        ///< what each doubling of the GPUs beyond one node adds
  std::vector<StackError> stacks;      ///< one of each knowledge
  std::vector<MachineError> machines;  ///< the first that holds counts; the last always does
  std::optional<Sourced<double>> machine{};  ///< of the machine at hand, where it was measured
  std::vector<KindError> kinds;
  SourcePlace where;
};
template <>
struct Fields<UncertaintySpec>;

/// Throws InputError where a share, a knowledge of a stack or a machine has no row that always
/// holds, or one behind it, which would never count, and where a GPU is not known.
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
  StackKnowledge stack{};
  KernelKnowledge kernels = KernelKnowledge::measured;
  std::vector<BlockKind> blocks{};  ///< of the model's layers
  double passes_s = 0;              ///< of the busiest rank: less than that no messages make it
  double dp_messages_s = 0;         ///< of the busiest rank, hidden ones too
};

/// Why a step time is not known better: "gemm", "software", "machine", "scale", "run-to-run".
struct ErrorCause {
  std::string cause;
  double relative_error = 0;
  bool slower = false;  ///< on the slow side alone
};

/// Relative standard error of a step time, with its causes, largest first.
struct StepError {
  double relative = 0;  ///< either way
  double slower = 0;    ///< beside it, of runs slower than predicted
  std::vector<ErrorCause> causes;
  std::optional<double> faster{};  ///< of runs faster than predicted, where that is less
};

/// How well the time of a step is known:
///
///     relative^2 = scale^2 (sum_kinds (share of the step * error of the kind)^2
///                           + (doublings * per_doubling)^2 + run_to_run^2) + stack^2 + machine^2
///
/// Kinds are taken as independent of each other, and each as wrong by the same factor wherever it
/// is in the step. Messages beside passes (dp, pp, offload) are not what the step is made of where
/// they only just take longer than these: if they are faster, it still takes `passes_s`, optimizer
/// and stragglers, and dp messages that are hidden show once they take longer than the step.
StepError step_error(const UncertaintySpec& spec, const PredictedStep& step);

/// So many standard deviations either side of the mean hold 9 of 10 normal values.
inline constexpr double kNineOfTen = 1.6448536269514722;

/// The ends of the interval that holds 9 of 10 measured step times.
struct Interval {
  double low = 0;
  double high = 0;
  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
};

/// time * exp(-1.645 faster) to time * exp(1.645 sqrt(relative^2 + slower^2)), `faster` being
/// `relative` where it is missing: errors are taken as normal in the logarithm on either side.
Interval interval_90(double time, const StepError& error);

}  // namespace simtrain
