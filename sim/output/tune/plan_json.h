#pragma once

#include <nlohmann/json.hpp>

#include "sim/study/tune/tune.h"

namespace simtrain {

// What the JSON of searches shares.

/// A plan's GPUs and knobs.
nlohmann::ordered_json choice_json(const PlanChoice& choice);
/// What could not be simulated, by the reason.
nlohmann::ordered_json skipped_json(const SearchedPlans& result);
/// By size.
nlohmann::ordered_json spaces_json(const SearchedPlans& result);

}  // namespace simtrain
