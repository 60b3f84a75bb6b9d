#include "sim/import/plan/recipe_export.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/input/yaml_text.h"
#include "sim/core/suggestion.h"
#include "sim/import/plan/scenario_terms.h"
#include "sim/import/terms/environment.h"
#include "sim/import/terms/finding.h"

namespace simtrain {
namespace {

/// What no recipe says of a job: where it runs, and the model where the framework has no word for
/// one of the scenario's own.
RecipeRequest import_request(const ExportTarget& target, const Scenario& scenario) {
  const std::string& model = scenario.recipe.model.name;
  RecipeRequest request;
  if (target.has_model != nullptr && !target.has_model(model)) request.model = model;
  request.cluster = scenario.files.cluster;
  request.software = scenario.files.software;
  return request;
}

/// The command that imports the file.
std::string head_comment(const ExportTarget& target, const Scenario& scenario,
                         const RecipeRequest& request) {
  return fmt::format(
      "# Made by 'simtrain export --to {}' of {}.\n"
      "# 'simtrain import FILE --cluster {} --software {} --nodes {}{}' reads it.\n",
      target.name, plain_text(scenario.name), scenario.files.cluster, scenario.files.software,
      scenario.placement.nodes, request.model ? " --model " + *request.model : "");
}

}  // namespace

const std::vector<const ExportTarget*>& export_targets() {
  static const std::vector<const ExportTarget*> rows{&kMegatronTarget, &kNemoTarget, &kBridgeTarget,
                                                     &kTorchtitanTarget};
  return rows;
}

std::vector<std::string> export_target_names() {
  std::vector<std::string> names;
  names.reserve(export_targets().size());
  for (const ExportTarget* row : export_targets()) names.emplace_back(row->name);
  return names;
}

const ExportTarget& export_target(const std::string& name, const std::string& key) {
  for (const ExportTarget* row : export_targets()) {
    if (row->name == name) return *row;
  }
  throw InputError({}, key,
                   fmt::format("'{}' is not known; {}", name.substr(0, 80),
                               suggestion(name, export_target_names())));
}

ExportedRecipe export_recipe(const ExportTarget& target, const Scenario& scenario,
                             const YamlNode& keys) {
  ExportedRecipe recipe;
  recipe.request = import_request(target, scenario);
  if (keys.find("job") != nullptr)
    recipe.notes.push_back("job: is not in it; what is written trains 50 steps");
  const PlanToExport plan{scenario, scenario_terms(scenario), variables_of(keys)};
  target.write(plan, head_comment(target, scenario, recipe.request), recipe);
  return recipe;
}

Scenario reimported(const ExportTarget& target, const ExportedRecipe& recipe,
                    const DataFolder& data) {
  const std::string path = "the exported recipe";
  const ImportedRecipe imported = target.format.read({path, recipe.text}, recipe.request, data);
  return ScenarioSource::from_text(imported.yaml, path).scenario(data, "", {});
}

}  // namespace simtrain
