#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/tune/plan_limits.h"

namespace simtrain {

/// A plan that can be laid out, and what its fullest GPU needs.
struct LegalPlan {
  PlanChoice choice;
  double memory_bytes = 0;
  bool fits = false;
  bool tight = false;  ///< fits, but without room for fragmentation: Room::tight
};

/// The plans of one number of GPUs.
struct PlanSpace {
  std::int64_t considered = 0;  ///< combinations whose sizes multiply to the GPUs and the batch
  std::vector<LegalPlan> legal;
  /// Why the others are illegal: by key of the scenario how many, and one of the sentences.
  struct Refusal {
    std::int64_t count = 0;
    std::string example;
  };
  std::map<std::string, Refusal> refused;
  double capacity_bytes = 0;  ///< of a GPU, without the margin

  [[nodiscard]] std::int64_t fitting() const;
  /// Of those that fit.
  [[nodiscard]] std::int64_t tight() const;
  /// The legal plan that needs the least memory.
  [[nodiscard]] const LegalPlan* smallest() const;
};

/// Every plan of a scenario on its GPUs that `limits` allow. TP x CP x PP x DP is the number of
/// GPUs, micro-batch x DP divides the global batch, PP x VP divides the layers that are counted; of
/// mixtures EP divides the experts, ETP is 1 or TP, and both divide the GPUs of a stage;
/// schedules and dispatchers are those that a limit names, otherwise the scenario's own; layouts
/// are searched where a limit names them or the scenario has one;
/// check_plan checks what else makes a plan legal. Where two accounts deal the layers alike (one or
/// two chunks in all), the first allowed one represents both. A plan fits where no stage needs more
/// than the GPU's memory less `margin`, a share of it; the margin counts as room for fragmentation.
/// Sorted by the knobs.
PlanSpace plan_space(const Scenario& scenario, const PlanLimits& limits, double margin);

}  // namespace simtrain
