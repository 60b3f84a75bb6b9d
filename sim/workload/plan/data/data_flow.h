#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/workload/plan/data/buckets.h"
#include "sim/workload/plan/stage_passes.h"

namespace simtrain {

/// A rank's program of a step while it grows.
struct StepProgram {
  Program program;
  std::uint32_t last_compute = kNoOp;

  /// Compute of the rank's own, which later ops may wait for.
  std::uint32_t add_compute(const ComputeCost& cost, Label label, std::uint32_t after) {
    return repeat_compute(program.add_cost(cost), label, after);
  }
  /// The same with a cost that the program has.
  std::uint32_t repeat_compute(std::uint32_t cost, Label label, std::uint32_t after);
  static Op transfer(Stream stream, GroupKind group, Label label);
  /// A transfer that starts after another op.
  std::uint32_t add_transfer(Stream stream, GroupKind group, std::uint32_t cost, Label label,
                             std::uint32_t after);
};

/// What crosses the data-parallel groups of a rank in a step. The builder of its program calls in
/// the order in which the host issues passes; each call may add ops.
class DataFlow {
 public:
  DataFlow() = default;
  DataFlow(const DataFlow&) = delete;
  DataFlow& operator=(const DataFlow&) = delete;
  virtual ~DataFlow() = default;

  /// Before all passes.
  virtual void begin() = 0;
  /// Whether a pass runs stretch by stretch, because something is gathered or reduced in it.
  [[nodiscard]] virtual bool cuts(const Task& task) const = 0;
  /// Before a stretch of a pass (of a whole one, before all of it): the op that it waits for.
  /// `stretch` counts in the direction of the pass, `parameters_done` is its segment's.
  virtual std::uint32_t before(const Task& task, double parameters_done, std::size_t stretch) = 0;
  /// After a stretch of a pass that is cut.
  virtual void after(const Task& task, double parameters_done, std::size_t stretch) = 0;
  virtual void after_pass(const Task& task) = 0;
  /// After all passes: what is left to reduce. Returns the last reduction, for which the gradient
  /// norm waits.
  virtual std::uint32_t flush() = 0;
  virtual void after_optimizer() = 0;
};

/// The flow of a recipe's sharding; `groups` are those of the rank.
std::unique_ptr<DataFlow> data_flow(const StepContext& context, int rank,
                                    const GradientGroups& groups, const StagePasses& passes,
                                    StepProgram& step);

}  // namespace simtrain
