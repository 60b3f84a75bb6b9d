#include "sim/study/first/first_scenario.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/input/yaml_text.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/job/plan/job_inputs.h"
#include "sim/run/simulate.h"
#include "sim/study/first/first_keys.h"

namespace simtrain {
namespace {

void put(std::vector<Finding>& keys, const Finding& finding) {
  const auto known = std::find_if(keys.begin(), keys.end(),
                                  [&](const Finding& key) { return key.key == finding.key; });
  if (known != keys.end())
    *known = finding;
  else
    keys.push_back(finding);
}

void put_plan(std::vector<Finding>& keys, const PlanChoice& choice, const Scenario& scenario) {
  for (const Setting& setting : settings_of(choice, scenario)) {
    const bool nodes = setting.key == "cluster.nodes";
    if (!nodes)
      put(keys, {setting.key, flow_text(setting.value), "the best plan of simtrain tune"});
  }
  if (choice[Knob::tp] == 1)
    put(keys, {"parallelism.sequence_parallel", "false", "nothing to split with TP 1"});
}

ScenarioSource source_of(const std::vector<Finding>& keys) {
  return ScenarioSource::from_text(findings_text(keys), "the first scenario");
}

void check_job(const DataFolder& data, const DraftScenario& draft, const ScenarioSource& source) {
  try {
    static_cast<void>(load_job(data, draft.scenario, source.tree("", {})));
  } catch (const InputError& error) {
    if (error.key() != "job.checkpoint.storage") throw;
    throw InputError({}, "--storage", error.reason());
  }
}

}  // namespace

std::string FirstScenario::yaml(const std::string& head) const {
  return head + findings_text(keys);
}

std::vector<std::string> FirstScenario::assumed() const {
  std::vector<std::string> result;
  for (const Finding& finding : keys) {
    if (finding.assumed) result.push_back(finding.key + " " + finding.value);
  }
  return result;
}

FirstScenario first_scenario(const DataFolder& data, const FirstRequest& request,
                             const Watch& watch) {
  FirstScenario first;
  first.keys = first_keys(data, request);
  const ScenarioSource source = source_of(first.keys);
  const DraftScenario draft = source.draft(data, "", {});
  check_cluster(draft.scenario, draft.trees);
  if (request.job) check_job(data, draft, source);
  TuneRequest asked;
  asked.sizes = {draft.scenario};
  asked.top = 1;
  asked.steps = false;
  first.search = tune(asked, watch);
  if (first.search.best.empty()) return first;
  put_plan(first.keys, first.search.best.front().plan.choice, draft.scenario);
  first.report = simulate(source_of(first.keys).scenario(data, "", {}));
  return first;
}

}  // namespace simtrain
