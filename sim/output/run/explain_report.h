#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "sim/study/what_if/explain.h"

namespace simtrain {

/// The explanation for people, behind a text report: 80 columns, units on every number. Of the
/// knobs only those that gain most or cost least.
std::string explanation_text(const Explanation& explanation);

/// All of it, for the field `explain` of a result.
nlohmann::ordered_json explanation_json(const Explanation& explanation);

}  // namespace simtrain
