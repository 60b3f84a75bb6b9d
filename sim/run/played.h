#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "sim/run/pieces.h"
#include "sim/run/simulate.h"
#include "sim/workload/rank_classes.h"

namespace simtrain {

/// One step of a scenario, played: what reports and traces are made of. It holds references into
/// itself and to its scenario, which must outlive it.
class Played {
 public:
  explicit Played(const Scenario& scenario, const SimulateOptions& options = {});
  Played(const Played&) = delete;
  Played& operator=(const Played&) = delete;
  ~Played() = default;

  /// What the step's plan was built from; good as long as this is.
  [[nodiscard]] StepContext context() const {
    return {scenario.recipe, cluster, placement, grid, kernels, classes, costs};
  }
  /// The pieces as a rank plays them.
  [[nodiscard]] const PlayedPieces& pieces_of(int rank) const {
    return passes[static_cast<std::size_t>(classes.pass[static_cast<std::size_t>(rank)])];
  }

  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  const Scenario& scenario;
  std::shared_ptr<const Cluster> shared_cluster;  ///< keeps `cluster`
  const Cluster& cluster;
  Placement placement;
  RankGrid grid;
  const RankClasses& classes;        ///< kept by `cluster`
  std::vector<PieceCosts> costs;     ///< by pass class
  double clock;                      ///< share of the full SM clock that the power limit allows
  FittedKernelModel kernels;         ///< at that clock
  std::vector<PlayedPieces> passes;  ///< by pass class
  Plan plan;
  Timeline timeline;
};

/// How many ranks of the job each simulated rank stands for.
std::vector<int> ranks_behind(const Played& played);

/// The figures of a played step.
Report report_of(const Played& played);

}  // namespace simtrain
