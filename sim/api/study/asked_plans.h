#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/api/access.h"
#include "sim/study/tune/plan_limits.h"

namespace simtrain::api {

// What the searches for plans share: what is asked of them, and a plan as the library gives it.

/// The scenario on each number of GPUs; on its own where there is none. Throws InputError.
std::vector<simtrain::Scenario> sizes_of(const Access::ScenarioContent& content,
                                         const std::vector<int>& gpus);

/// Throws InputError where one is no limit.
PlanLimits limits_of(const std::vector<std::string>& texts);

/// The knobs of a plan by name, the number of GPUs first.
std::vector<std::pair<std::string, std::string>> knobs_of(const PlanChoice& choice);

/// The scenario with a plan of one of its sizes.
Scenario with_plan(const Access::ScenarioContent& content,
                   const std::vector<simtrain::Scenario>& sizes, const PlanChoice& choice);

}  // namespace simtrain::api
