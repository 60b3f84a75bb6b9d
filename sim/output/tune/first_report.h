#pragma once

#include <string>

#include "sim/study/first/first_scenario.h"

namespace simtrain {

/// What `simtrain new` predicts: plan, step time, MFU, memory, days of a training run of `tokens`,
/// and what was assumed. There must be a plan.
std::string first_text(const FirstScenario& first, double tokens);

/// The same lines as comments of a YAML file.
std::string first_comment(const FirstScenario& first, double tokens);

/// Why there is no plan, on one line.
std::string no_plan_reason(const TuneResult& search);

}  // namespace simtrain
