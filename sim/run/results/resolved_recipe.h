#pragma once

#include <cstdint>
#include <vector>

#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// A scenario as it is simulated: every key, with what its file leaves to defaults and to the
/// settings of its library. Missing is only what nothing sets, such as the library's own choices,
/// and `notes`, which nothing is computed from.
struct ResolvedRecipe {
  ScenarioFile keys;  ///< without `model`
  ModelSpec model;    ///< with the scenario's overrides
  std::vector<KeyChange> hardware;
};

ResolvedRecipe resolved_recipe(const Scenario& scenario);

/// Weights of a model and of the GPUs that hold its shards.
struct ParameterCounts {
  std::int64_t model = 0;    ///< each weight once, with adapters
  std::int64_t trained = 0;  ///< of these the ones that are not frozen
  std::int64_t fullest = 0;  ///< of a GPU of the stage that holds most
  int fullest_stage = 0;     ///< that stage, from 0; the first of equals
  double mean = 0;           ///< of a GPU, over all of them
};

ParameterCounts parameter_counts(const Recipe& recipe);

}  // namespace simtrain
