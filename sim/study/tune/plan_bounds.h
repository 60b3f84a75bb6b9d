#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/study/tune/lower_bound.h"
#include "sim/study/tune/plan_space.h"

namespace simtrain {

/// What the bound of a plan rests on; each takes more work than the one before.
enum class Known { alone, passes, all };

/// A plan of one of the sizes that are searched.
struct PlanAt {
  std::size_t size = 0;
  const LegalPlan* plan = nullptr;
};

/// Lower bounds of the plans of several sizes (StepTimeBound); what plans share is worked out once.
class PlanBounds {
 public:
  explicit PlanBounds(const std::vector<Scenario>& sizes);

  /// Works out, on all cores, what bounds of `known` need for these plans and is not there yet.
  void prepare(const std::vector<PlanAt>& plans, Known known);

  /// Seconds, never above the simulated step time; after `prepare`. Throws InputError where a
  /// simulation would: the step takes longer than kLongestStep.
  [[nodiscard]] double seconds(const PlanAt& at, Known known) const;
  /// Joules of a token, never above those of the simulated step, which takes `step_s` or longer;
  /// where `seconds` gives a bound.
  [[nodiscard]] double joules_per_token(const PlanAt& at, Known known, double step_s) const;

 private:
  struct Costs {
    PassCosts costs;
    std::string refusal;  ///< why there are none
  };
  struct Site {
    explicit Site(const Scenario& on) : scenario(&on), bound(on) {}
    const Scenario* scenario;
    StepTimeBound bound;
    std::map<PassKey, Costs> alone;
    std::map<PassKey, Costs> passes;

    [[nodiscard]] Recipe recipe(const PlanChoice& choice) const;
    [[nodiscard]] Costs costs_of(const Recipe& recipe, Known known) const;
    /// Those that `prepare` made.
    [[nodiscard]] const Costs& costs_at(const Recipe& recipe, Known known) const;
  };
  std::vector<Site> sites_;
};

}  // namespace simtrain
