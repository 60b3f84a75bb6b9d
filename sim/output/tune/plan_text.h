#pragma once

#include <string>

#include "sim/study/tune/tune.h"

namespace simtrain {

// What the texts of searches share.

/// The columns of a plan, and their names for plans as `choice`. `dispatch`: with what brings
/// tokens to their experts.
std::string plan_columns(const PlanChoice& choice, bool dispatch);
std::string head_columns(const PlanChoice& choice, bool dispatch);

/// How many plans there were, and which were skipped, with why.
std::string counts_text(const SearchedPlans& result);

/// Energy of a token in J, four digits of it: "0.1800".
std::string joules_text(double joules);

/// Which constraint leaves no plan.
std::string no_plan_text(const SearchedPlans& result);

}  // namespace simtrain
