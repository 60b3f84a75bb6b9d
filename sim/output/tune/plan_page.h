#pragma once

#include <nlohmann/json.hpp>

#include "sim/study/tune/tune.h"

namespace simtrain {

// What the pages of searches share, as their templates in web/ take it.

/// Names of the knobs that a plan has, and their values behind its GPUs.
nlohmann::ordered_json knob_names(const PlanChoice& choice);
nlohmann::ordered_json plan_cells(const PlanChoice& choice);
/// How many plans there were.
nlohmann::ordered_json counts_section(const SearchedPlans& result);
/// What was skipped, with why.
nlohmann::ordered_json skipped_rows(const SearchedPlans& result);
/// Which constraint leaves no plan, for web/templates/tune_none.html.
nlohmann::ordered_json no_plan_section(const SearchedPlans& result);

}  // namespace simtrain
