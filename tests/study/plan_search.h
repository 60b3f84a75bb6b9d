#pragma once

#include <string>
#include <vector>

#include "sim/run/scenario/scenario.h"
#include "sim/study/tune/tune.h"
#include "tests/core/data_folder.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing {

inline std::vector<Setting> parsed(const std::vector<std::string>& texts) {
  std::vector<Setting> settings;
  settings.reserve(texts.size());
  for (const std::string& text : texts) settings.push_back(parse_setting(text));
  return settings;
}

/// A row of a scenario with settings over it; its own plan need not be legal.
inline Scenario draft(const std::string& file, const std::string& row,
                      const std::vector<std::string>& settings = {}) {
  return scenario_file(file).draft(data_folder(), row, parsed(settings)).scenario;
}

/// The plan that a scenario has.
inline PlanChoice choice_of(const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  PlanChoice choice;
  choice.gpus = scenario.gpus();
  choice[Knob::tp] = recipe.tp();
  choice[Knob::pp] = recipe.pp();
  choice[Knob::vp] = recipe.vp();
  choice[Knob::cp] = recipe.cp();
  choice[Knob::dp] = choice.gpus / (recipe.tp() * recipe.pp() * recipe.cp());
  if (recipe.model.has_experts()) {
    choice[Knob::ep] = recipe.ep();
    choice[Knob::etp] = recipe.etp();
  }
  choice[Knob::mbs] = recipe.training.micro_batch_size;
  choice[Knob::recompute] = static_cast<int>(recipe.recompute);
  const bool embedding = recipe.parallelism.account_for_embedding_in_pipeline_split;
  const bool loss = recipe.parallelism.account_for_loss_in_pipeline_split;
  choice[Knob::account] =
      static_cast<int>(embedding ? (loss ? SplitAccount::both : SplitAccount::embedding)
                                 : (loss ? SplitAccount::loss : SplitAccount::none));
  return choice;
}

inline PlanLimits limits(const std::vector<std::string>& texts) {
  PlanLimits result;
  for (const std::string& text : texts) result.add(text);
  return result;
}

}  // namespace simtrain::testing
