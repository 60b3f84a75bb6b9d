#include "sim/output/text/json_parts.h"
#include "sim/output/tune/plan_json.h"
#include "sim/output/tune/tune_report.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json plan_json(const TuneHead& head, const TuneResult& result, const TunedPlan& tuned) {
  const Report& report = tuned.report;
  const TrainingRun run = training_run(report, head.tokens, head.usd_per_gpu_hour);
  Json json{{"plan", choice_json(tuned.plan.choice)},
            {"step_time_s", report.step_time_s},
            {"tokens_per_s", report.tokens_per_s},
            {"mfu", report.mfu},
            {"memory_bytes", tuned.plan.memory_bytes},
            {"spare_bytes", result.spare_bytes(tuned.plan)},
            {"fits", tuned.plan.fits},
            {"tight", tuned.plan.tight},
            {"days", run.days},
            {"gpu_hours", run.gpu_hours}};
  if (run.usd) json["cost_usd"] = *run.usd;
  json["breakdown_s"] = breakdown_json(report);
  return json;
}

Json steps_json(const TuneHead& head, const TuneResult& result) {
  Json steps = Json::array();
  for (const auto& [knob, changed, refusal] : result.steps) {
    Json step = refusal.empty() ? plan_json(head, result, changed)
                                : Json{{"plan", choice_json(changed.plan.choice)}};
    if (!refusal.empty()) step["skipped"] = refusal;
    step["knob"] = name_of(knob);
    steps.push_back(std::move(step));
  }
  return steps;
}

Json tight_ahead_json(const TuneHead& head, const TuneResult& result) {
  Json json{{"plans", result.tight_ahead.plans}};
  if (result.tight_ahead.best) json["best"] = plan_json(head, result, *result.tight_ahead.best);
  return json;
}

Json given_json(const Report& given) {
  return {{"gpus", given.gpus}, {"layout", given.layout}, {"step_time_s", given.step_time_s},
          {"mfu", given.mfu},   {"fits", given.fits()},   {"tight", given.tight()}};
}

}  // namespace

std::string tune_json(const TuneHead& head, const TuneResult& result) {
  Json best = Json::array();
  for (const TunedPlan& tuned : result.best) best.push_back(plan_json(head, result, tuned));
  Json json{{"schema", "simtrain.tune/1"},       {"scenario", head.scenario},
            {"by", name_of(result.by)},          {"memory_margin", result.memory_margin},
            {"allow_tight", result.allow_tight}, {"tokens", head.tokens}};
  add_changes(json, head.changes);
  if (head.usd_per_gpu_hour) json["usd_per_gpu_hour"] = *head.usd_per_gpu_hour;
  json["simulated"] = result.simulated;
  json["best"] = std::move(best);
  json["tight_ahead"] = tight_ahead_json(head, result);
  json["skipped"] = skipped_json(result);
  json["sensitivity"] = steps_json(head, result);
  json["spaces"] = spaces_json(result);
  if (head.given) json["given"] = given_json(*head.given);
  if (!head.given_refusal.empty()) json["given_illegal"] = head.given_refusal;
  return json_text(json);
}

}  // namespace simtrain
