#include "sim/output/json_parts.h"
#include "sim/output/tune_report.h"
#include "sim/study/scale.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json choice_json(const PlanChoice& choice) {
  Json json{{"gpus", choice.gpus}};
  for (const auto& [name, knob] : EnumNames<Knob>::rows) {
    if (knob == Knob::recompute || knob == Knob::account)
      json[std::string(name)] = value_text(knob, choice[knob]);
    else
      json[std::string(name)] = choice[knob];
  }
  return json;
}

Json plan_json(const TuneHead& head, const TunedPlan& tuned) {
  const Report& report = tuned.report;
  const TrainingRun run = training_run(report, head.tokens, head.usd_per_gpu_hour);
  Json json{{"plan", choice_json(tuned.plan.choice)},
            {"step_time_s", report.step_time_s},
            {"tokens_per_s", report.tokens_per_s},
            {"mfu", report.mfu},
            {"memory_bytes", tuned.plan.memory_bytes},
            {"fits", tuned.plan.fits},
            {"days", run.days},
            {"gpu_hours", run.gpu_hours}};
  if (run.usd) json["cost_usd"] = *run.usd;
  json["breakdown_s"] = breakdown_json(report);
  return json;
}

Json space_json(const PlanSpace& space) {
  Json illegal = Json::array();
  for (const auto& [key, refusal] : space.refused)
    illegal.push_back({{"key", key}, {"plans", refusal.count}, {"example", refusal.example}});
  Json json{{"considered", space.considered},
            {"legal", space.legal.size()},
            {"fitting", space.fitting()},
            {"capacity_bytes", space.capacity_bytes},
            {"illegal", std::move(illegal)}};
  if (const LegalPlan* smallest = space.smallest())
    json["smallest"] = {{"plan", choice_json(smallest->choice)},
                        {"memory_bytes", smallest->memory_bytes}};
  return json;
}

}  // namespace

std::string tune_json(const TuneHead& head, const TuneResult& result) {
  Json best = Json::array();
  for (const TunedPlan& tuned : result.best) best.push_back(plan_json(head, tuned));
  Json steps = Json::array();
  for (const auto& [knob, changed] : result.steps) {
    Json step = plan_json(head, changed);
    step["knob"] = name_of(knob);
    steps.push_back(std::move(step));
  }
  Json spaces = Json::array();
  for (const PlanSpace& space : result.spaces) spaces.push_back(space_json(space));
  Json json{{"schema", "simtrain.tune/1"},
            {"scenario", head.scenario},
            {"by", name_of(result.by)},
            {"memory_margin", result.memory_margin},
            {"tokens", head.tokens}};
  if (head.usd_per_gpu_hour) json["usd_per_gpu_hour"] = *head.usd_per_gpu_hour;
  json["simulated"] = result.simulated;
  json["best"] = std::move(best);
  json["sensitivity"] = std::move(steps);
  json["spaces"] = std::move(spaces);
  if (head.given) {
    json["given"] = {{"gpus", head.given->gpus},
                     {"layout", head.given->layout},
                     {"step_time_s", head.given->step_time_s},
                     {"mfu", head.given->mfu},
                     {"fits", head.given->fits()}};
  }
  return json_text(json);
}

}  // namespace simtrain
