#include "sim/api/study/asked_plans.h"

#include "sim/api/checks.h"
#include "sim/study/what_if/scale.h"

namespace simtrain::api {
namespace {

simtrain::Scenario size_of(const Access::ScenarioContent& content,
                           const std::vector<Setting>& settings) {
  const DraftScenario draft =
      content.source.draft(Access::of(content.data).folder, content.row, settings);
  check_cluster(draft.scenario, draft.trees);
  return draft.scenario;
}

}  // namespace

std::vector<simtrain::Scenario> sizes_of(const Access::ScenarioContent& content,
                                         const std::vector<int>& gpus) {
  std::vector<simtrain::Scenario> sizes;
  if (gpus.empty()) return {size_of(content, content.settings)};
  const simtrain::Scenario own =
      content.source.draft(Access::of(content.data).folder, content.row, content.settings).scenario;
  sizes.reserve(gpus.size());
  for (const int number : checked_sizes(gpus))
    sizes.push_back(
        size_of(content, on_gpus(content.settings, number, own.cluster.node.gpus, "gpus")));
  return sizes;
}

PlanLimits limits_of(const std::vector<std::string>& texts) {
  PlanLimits limits;
  for (const std::string& text : texts) limits.add(text);
  return limits;
}

std::vector<std::pair<std::string, std::string>> knobs_of(const PlanChoice& choice) {
  std::vector<std::pair<std::string, std::string>> knobs{{"gpus", std::to_string(choice.gpus)}};
  for (const auto& [name, knob] : EnumNames<Knob>::rows) {
    if (choice.has(knob)) knobs.emplace_back(name, value_text(knob, choice[knob]));
  }
  return knobs;
}

Scenario with_plan(const Access::ScenarioContent& content,
                   const std::vector<simtrain::Scenario>& sizes, const PlanChoice& choice) {
  std::size_t size = 0;
  while (sizes[size].gpus() != choice.gpus) ++size;
  Access::ScenarioContent changed = content;
  for (Setting& setting : settings_of(choice, sizes[size]))
    changed.settings.push_back(std::move(setting));
  return Access::made(std::move(changed));
}

}  // namespace simtrain::api
