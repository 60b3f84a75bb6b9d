#pragma once

#include <string>
#include <vector>

#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// A key in which two scenarios differ, and its values as YAML; empty where a scenario has none.
struct KeyDifference {
  std::string key;
  std::string first;
  std::string second;
};

/// The keys of two scenarios, as they are simulated, that differ, in the order of a scenario file.
/// Names and sources of scenario and model do not count, nor does what is without effect (the order
/// of passes between stages where there is one stage) or said in two ways (the sharding that
/// optimizer.distributed makes).
std::vector<KeyDifference> recipe_difference(const Scenario& first, const Scenario& second);

}  // namespace simtrain
