#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"
#include "sim/core/sourced.h"

namespace simtrain {

class DataFolder;

/// What the first step of some software takes over any other: allocations, kernels that are
/// compiled or chosen when first called, captured graphs.
struct FirstStep {
  std::optional<std::string> software;  ///< that names of hardware/software start with; none: any
  Sourced<Duration> adds;
};
template <>
struct Fields<FirstStep>;

/// What steps of a run, and its starts, take beside the step that is simulated:
/// `hardware/steps.yaml`.
struct StepEvents {
  std::string name;
  std::vector<FirstStep> first_step;  ///< the first row of the software counts; the last is of any
  Sourced<Duration> connections;      ///< of communicators at a start, for each 1000 GPUs
  Sourced<Duration> garbage_collection;
  Sourced<int> garbage_collection_interval;  ///< steps
  Sourced<double> slow_share;                ///< of steps
  Sourced<double> slow_least;                ///< times as long as others, evenly from here
  Sourced<double> slow_most;                 ///< to here
  SourcePlace where;

  /// What the first step takes longer, but for connections_s().
  [[nodiscard]] double first_step_s(const std::string& software) const;
  /// Of so many GPUs.
  [[nodiscard]] double connections_s(double gpus) const {
    return to_seconds(connections.value) * gpus / 1000;
  }
};
template <>
struct Fields<StepEvents>;

/// Throws InputError where no row of the first step always holds, or one stands behind it, and
/// where slow steps end before they begin.
StepEvents load_step_events(const DataFolder& data);

}  // namespace simtrain
