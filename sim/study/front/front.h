#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/study/sweep/sweep_row.h"
#include "sim/study/tune/tune.h"

namespace simtrain {

/// What a plan has the less of the better: seconds of a step; dollars of a token, by GPU hours;
/// bytes that its fullest GPU needs, whose rest is room; joules of a token, site included.
enum class Objective { step_time, price, memory, energy };

template <>
struct EnumNames<Objective> {
  static constexpr std::array rows{std::pair{std::string_view("step_time"), Objective::step_time},
                                   std::pair{std::string_view("price"), Objective::price},
                                   std::pair{std::string_view("memory"), Objective::memory},
                                   std::pair{std::string_view("energy"), Objective::energy}};
};

struct FrontRequest {
  std::vector<Scenario> sizes;  ///< the scenario on each number of GPUs; their plans do not count
  PlanLimits limits;
  double memory_margin = 0;  ///< share of a GPU's memory to leave free
  std::vector<Objective> objectives;
  double usd_per_gpu_hour = 0;  ///< more than 0 where the price is an objective
  bool allow_tight = false;     ///< tight plans count as the safe ones
  bool exhaustive = false;      ///< simulate every plan instead of bounding
};

/// A plan's figures, in the order of the request's objectives.
using Figures = std::vector<double>;

/// A plan that was simulated.
struct FrontPlan {
  LegalPlan plan;
  SweepRow row;  ///< its figures; `index` is its number among the plans that fit
  Figures figures;
  double usd_per_1t_tokens = 0;  ///< 0 without a price
  bool on_front = false;
};

/// What was found: all plans that were simulated, by their figures.
struct Front : SearchedPlans {
  std::vector<Objective> objectives;
  double usd_per_gpu_hour = 0;
  std::vector<FrontPlan> plans;  ///< least of the first objective first, then of the next

  [[nodiscard]] std::int64_t on_front() const;
};

/// Dollars of 10^12 tokens at a price of a GPU hour, by a step of so many tokens.
double usd_per_1t_tokens(double usd_per_gpu_hour, int gpus, double step_s, double tokens);

/// Whether a plan leaves no place on the front for another of at least such figures: it has none
/// more and one less, or, with equal ones, comes first.
bool dominates(const Figures& one, std::uint64_t number, const Figures& other,
               std::uint64_t other_number);

/// Sorts simulated plans and says which of them are on the front: those that no other dominates. Of
/// plans with equal figures the first one is.
void mark_front(std::vector<FrontPlan>& plans);

}  // namespace simtrain
