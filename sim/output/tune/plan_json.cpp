#include "sim/output/tune/plan_json.h"

#include <string>

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json space_json(const PlanSpace& space) {
  Json illegal = Json::array();
  for (const auto& [key, refusal] : space.refused)
    illegal.push_back({{"key", key}, {"plans", refusal.count}, {"example", refusal.example}});
  Json json{{"considered", space.considered},
            {"legal", space.legal.size()},
            {"fitting", space.fitting()},
            {"tight", space.tight()},
            {"capacity_bytes", space.capacity_bytes},
            {"illegal", std::move(illegal)}};
  if (const LegalPlan* smallest = space.smallest())
    json["smallest"] = {{"plan", choice_json(smallest->choice)},
                        {"memory_bytes", smallest->memory_bytes}};
  return json;
}

}  // namespace

nlohmann::ordered_json choice_json(const PlanChoice& choice) {
  Json json{{"gpus", choice.gpus}};
  for (const auto& [name, knob] : EnumNames<Knob>::rows) {
    if (!choice.has(knob)) continue;
    if (is_named(knob))
      json[std::string(name)] = value_text(knob, choice[knob]);
    else
      json[std::string(name)] = choice[knob];
  }
  return json;
}

nlohmann::ordered_json skipped_json(const SearchedPlans& result) {
  Json json = Json::array();
  for (const auto& [reason, skipped] : result.skipped)
    json.push_back(
        {{"reason", reason}, {"plans", skipped.count}, {"example", choice_json(skipped.example)}});
  return json;
}

nlohmann::ordered_json spaces_json(const SearchedPlans& result) {
  Json spaces = Json::array();
  for (const PlanSpace& space : result.spaces) spaces.push_back(space_json(space));
  return spaces;
}

}  // namespace simtrain
