#include "sim/output/tune/plan_page.h"

#include <string>

#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json smallest_plan(const SearchedPlans& result) {
  const LegalPlan* smallest = result.smallest();
  if (smallest == nullptr) return nullptr;
  return {{"legal", result.legal()},
          {"memory", gigabytes(smallest->memory_bytes)},
          {"space", gigabytes(result.spaces.front().capacity_bytes * (1 - result.memory_margin))},
          {"gpus", smallest->choice.gpus},
          {"plan", text_of(smallest->choice)}};
}

Json refused_keys(const SearchedPlans& result) {
  Json rows = Json::array();
  for (const PlanSpace& space : result.spaces) {
    for (const auto& [key, refusal] : space.refused)
      rows.push_back({{"count", refusal.count}, {"key", key}, {"example", refusal.example}});
  }
  return rows.empty() ? Json(nullptr) : Json{{"rows", std::move(rows)}};
}

}  // namespace

nlohmann::ordered_json knob_names(const PlanChoice& choice) {
  Json knobs = Json::array();
  for (const auto& [name, knob] : EnumNames<Knob>::rows) {
    if (choice.has(knob)) knobs.push_back(name);
  }
  return knobs;
}

nlohmann::ordered_json plan_cells(const PlanChoice& choice) {
  Json cells = Json::array({choice.gpus});
  for (const auto& [name, knob] : EnumNames<Knob>::rows) {
    if (choice.has(knob)) cells.push_back(value_text(knob, choice[knob]));
  }
  return cells;
}

nlohmann::ordered_json counts_section(const SearchedPlans& result) {
  return {{"considered", result.considered()},
          {"legal", result.legal()},
          {"fitting", result.fitting()},
          {"tight", result.tight()},
          {"simulated", result.simulated}};
}

nlohmann::ordered_json skipped_rows(const SearchedPlans& result) {
  Json rows = Json::array();
  for (const auto& [reason, skipped] : result.skipped)
    rows.push_back({{"count", skipped.count},
                    {"reason", reason},
                    {"gpus", skipped.example.gpus},
                    {"plan", text_of(skipped.example)}});
  return rows;
}

nlohmann::ordered_json no_plan_section(const SearchedPlans& result) {
  const bool none_simulated = !result.skipped.empty();
  const bool illegal = !none_simulated && result.smallest() == nullptr;
  return {{"none_simulated", none_simulated},
          {"fitting", result.fitting()},
          {"smallest", none_simulated ? nullptr : smallest_plan(result)},
          {"illegal", illegal},
          {"refused", illegal ? refused_keys(result) : nullptr}};
}

}  // namespace simtrain
