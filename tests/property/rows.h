#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/run/simulate.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/core/data_folder.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing {

/// A row of a scenario table, or a scenario without one.
struct ScenarioRow {
  std::string file;
  std::string row;
};

/// Every row of every table in scenarios/.
inline std::vector<ScenarioRow> all_rows() {
  std::vector<ScenarioRow> rows;
  for (const std::string& name : data_folder().names("scenarios")) {
    const ScenarioSource source = scenario_file(name);
    if (!source.has_table()) rows.push_back({name, ""});
    for (const std::string& row : source.row_names()) rows.push_back({name, row});
  }
  return rows;
}

inline Scenario scenario_of(const ScenarioRow& at, const std::vector<std::string>& settings = {}) {
  std::vector<Setting> parsed;
  for (const std::string& text : settings) parsed.push_back(parse_setting(text));
  return scenario_file(at.file).scenario(data_folder(), at.row, parsed);
}

/// The same with a small batch: as many micro-batches as the pipeline has stages. What holds for
/// any scenario is looked for there, in a fraction of the time.
inline Scenario small_scenario_of(const ScenarioRow& at) {
  Scenario scenario = scenario_of(at);
  const RankGrid grid = rank_grid(scenario.recipe, scenario.gpus());
  scenario.recipe.training.global_batch_size =
      grid.dp() * scenario.recipe.training.micro_batch_size * scenario.recipe.pp();
  return scenario;
}

}  // namespace simtrain::testing
