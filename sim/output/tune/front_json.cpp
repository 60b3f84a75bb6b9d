#include <utility>

#include "sim/output/text/json_parts.h"
#include "sim/output/tune/front_report.h"
#include "sim/output/tune/plan_json.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json front_plan_json(const Front& front, const FrontPlan& plan) {
  Json json{{"plan", choice_json(plan.plan.choice)},
            {"step_time_s", plan.row.step_time_s},
            {"tokens_per_s", plan.row.tokens_per_s},
            {"mfu", plan.row.mfu},
            {"memory_bytes", plan.plan.memory_bytes},
            {"spare_bytes", front.spare_bytes(plan.plan)},
            {"tight", plan.plan.tight},
            {"joules_per_token", plan.row.joules_per_token}};
  if (front.usd_per_gpu_hour > 0) json["usd_per_1t_tokens"] = plan.usd_per_1t_tokens;
  return json;
}

}  // namespace

std::string front_json(const FrontHead& head, const Front& front) {
  Json objectives = Json::array();
  for (const Objective objective : front.objectives) objectives.push_back(name_of(objective));
  Json on_front = Json::array();
  Json dominated = Json::array();
  for (const FrontPlan& plan : front.plans)
    (plan.on_front ? on_front : dominated).push_back(front_plan_json(front, plan));
  Json json{{"schema", "simtrain.tune-front/1"},
            {"scenario", head.scenario},
            {"objectives", std::move(objectives)},
            {"memory_margin", front.memory_margin},
            {"allow_tight", front.allow_tight}};
  add_changes(json, head.changes);
  if (front.usd_per_gpu_hour > 0) json["usd_per_gpu_hour"] = front.usd_per_gpu_hour;
  json["simulated"] = front.simulated;
  json["front"] = std::move(on_front);
  json["dominated"] = std::move(dominated);
  json["skipped"] = skipped_json(front);
  json["spaces"] = spaces_json(front);
  return json_text(json);
}

}  // namespace simtrain
