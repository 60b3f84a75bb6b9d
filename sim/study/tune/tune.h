#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/core/watch.h"
#include "sim/run/results/report.h"
#include "sim/study/tune/plan_space.h"

namespace simtrain {

/// What the best plan has least of. MFU and cost rank alike where the batch is one: both by GPU
/// seconds of a step.
enum class TuneGoal { step_time, mfu, cost };

template <>
struct EnumNames<TuneGoal> {
  static constexpr std::array rows{std::pair{std::string_view("step_time"), TuneGoal::step_time},
                                   std::pair{std::string_view("mfu"), TuneGoal::mfu},
                                   std::pair{std::string_view("cost"), TuneGoal::cost}};
};

struct TuneRequest {
  std::vector<Scenario> sizes;  ///< the scenario on each number of GPUs; their plans do not count
  PlanLimits limits;
  double memory_margin = 0;  ///< share of a GPU's memory to leave free
  TuneGoal by{};
  std::size_t top = 5;       ///< how many of the best are looked for
  bool exhaustive = false;   ///< simulate every plan that fits instead of bounding
  bool steps = true;         ///< simulate the neighbours of the best too
  bool allow_tight = false;  ///< rank tight plans with the safe ones instead of behind them
};

/// A plan that has been simulated.
struct TunedPlan {
  LegalPlan plan;
  Report report;
};

/// The tight plans that would be better than the best safe one, behind which they rank.
struct TightAhead {
  std::int64_t plans = 0;
  std::optional<TunedPlan> best;  ///< of them
};

/// Plans that fit and that no bound ruled out, but that cannot be simulated (their step takes
/// longer than kLongestStep), by the reason.
struct SkippedPlan {
  std::int64_t count = 0;
  PlanChoice example;  ///< the first of them
};
using SkippedPlans = std::map<std::string, SkippedPlan>;

/// The best plan with one knob changed to the next value, up or down, that makes a legal plan
/// (DP follows). It may be one that does not fit.
struct KnobStep {
  Knob knob{};
  TunedPlan changed;
  std::string refusal{};  ///< why there is no report of it; empty where there is one
};

/// The plans that a search chose from.
struct SearchedPlans {
  double memory_margin = 0;
  bool allow_tight = false;
  std::vector<PlanSpace> spaces;  ///< of the sizes asked for
  std::int64_t simulated = 0;
  SkippedPlans skipped;

  /// Over the sizes.
  [[nodiscard]] std::int64_t considered() const;
  [[nodiscard]] std::int64_t legal() const;
  [[nodiscard]] std::int64_t fitting() const;
  [[nodiscard]] std::int64_t tight() const;
  [[nodiscard]] const LegalPlan* smallest() const;
  /// What a plan leaves of a GPU's memory, which is the same on all sizes; below 0 where it does
  /// not fit.
  [[nodiscard]] double spare_bytes(const LegalPlan& plan) const {
    return spaces.front().capacity_bytes - plan.memory_bytes;
  }
};

struct TuneResult : SearchedPlans {
  TuneGoal by{};
  TightAhead tight_ahead;       ///< none where tight plans rank with the others, or none is safe
  std::vector<TunedPlan> best;  ///< best first; fewer than asked for where there are fewer
  std::vector<KnobStep> steps;  ///< around the first of them
};

/// Finds the best plans, safe ones before tight ones, the same that simulating all of them finds,
/// by branch and bound: plans are taken by their lower bound (StepTimeBound), the bound is
/// sharpened, and what is still ahead is simulated, until no bound is below the worst of the `top`
/// best, nor that of a tight plan below the best safe one. The same result at any number of
/// threads. `watch` receives how many of the plans that fit are settled, simulated or bounded.
TuneResult tune(const TuneRequest& request, const Watch& watch = {});

/// The number by which plans are ranked, least first: seconds of a step, or GPU seconds.
double score(TuneGoal by, double step_time_s, int gpus);

}  // namespace simtrain
