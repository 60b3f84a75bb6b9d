#include "sim/output/run/json_report.h"

#include "sim/measured/run_metrics.h"
#include "sim/output/run/energy_report.h"
#include "sim/output/run/explain_report.h"
#include "sim/output/run/recipe_report.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/work/work_report.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json stage_memory_json(const StageMemory& stage, bool offloads) {
  Json json{{"weights_bytes", stage.weights},
            {"fp8_copies_bytes", stage.fp8_copies},
            {"gradients_bytes", stage.gradients},
            {"optimizer_bytes", stage.optimizer},
            {"gemm_workspaces_bytes", stage.workspaces},
            {"activations_bytes", stage.activations},
            {"loss_bytes", stage.loss},
            {"temporary_bytes", stage.temporary},
            {"allocated_bytes", stage.allocated()},
            {"allocated_between_steps_bytes", stage.kept()},
            {"cuda_context_bytes", stage.cuda_context},
            {"communicators_bytes", stage.communicators},
            {"user_buffers_bytes", stage.user_buffers},
            {"outside_allocator_bytes", stage.outside()},
            {"total_bytes", stage.total()},
            {"fragmentation_bytes", stage.fragmentation}};
  if (stage.dispatcher_buffers > 0) json["dispatcher_buffers_bytes"] = stage.dispatcher_buffers;
  if (offloads) {
    json["host_activations_bytes"] = stage.host_activations;
    json["host_optimizer_bytes"] = stage.host_optimizer;
    json["host_weights_bytes"] = stage.host_weights;
  }
  return json;
}

Json stages_json(const Report& report) {
  Json stages = Json::array();
  for (const StageMemory& stage : report.memory)
    stages.push_back(stage_memory_json(stage, report.host_memory.has_value()));
  Json json{{"peak_bytes", report.peak_bytes()},
            {"capacity_bytes", report.memory_capacity},
            {"fits", report.fits()},
            {"tight", report.tight()}};
  if (!report.memory.empty())
    json["margin_bytes"] = report.memory_capacity - report.fullest_stage().total();
  if (report.host_memory) {
    const HostMemory& host = *report.host_memory;
    json["host"] = {
        {"bytes", host.bytes}, {"capacity_bytes", host.capacity}, {"fits", host.fits()}};
  }
  json["per_stage"] = std::move(stages);
  return json;
}

Json communication_json(const Report& report) {
  Json rows = Json::array();
  for (const CommunicationRow& row : report.communication) {
    rows.push_back({{"group", row.group},
                    {"collective", name_of(row.collective)},
                    {"algorithm", name_of(row.algorithm)},
                    {"protocol", name_of(row.protocol)},
                    {"bytes", row.bytes.value()},
                    {"count", row.count},
                    {"total_s", row.total_s},
                    {"exposed_s", row.exposed_s}});
  }
  return rows;
}

Json placement_json(const PlacementFigures& placement) {
  Json hops = Json::array();
  for (const HopRow& row : placement.hops) {
    Json json{{"group", row.group}};
    for (const auto& [name, distance] : EnumNames<Distance>::rows) {
      if (distance != Distance::same_gpu)
        json[std::string(name)] = row.hops[static_cast<std::size_t>(distance)];
    }
    hops.push_back(std::move(json));
  }
  Json json{{"kind", placement.kind},
            {"rank_order", placement.rank_order},
            {"nodes", placement.nodes},
            {"available_nodes", placement.available_nodes},
            {"hops", std::move(hops)}};
  if (placement.busiest_link) {
    json["busiest_link"] = {{"name", placement.busiest_link->name},
                            {"load", placement.busiest_link->load}};
  }
  return json;
}

Json causes_json(const StepError& error) {
  Json causes = Json::array();
  for (const ErrorCause& cause : error.causes)
    causes.push_back({{"cause", cause.cause},
                      {"relative_error", cause.relative_error},
                      {"slower_only", cause.slower}});
  return causes;
}

/// Without a sample the mean step represents all.
Json step_time_json(const Report& report) {
  const double mean = report.step_time_s;
  const Statistics steps = report.sample ? statistics(report.sample->seconds, DeviationKind::sample)
                                         : Statistics{mean, 0, mean, mean};
  return {{"mean", steps.mean},
          {"std", steps.std.value_or(0)},
          {"min", steps.min},
          {"max", steps.max},
          {"low", report.step_time_interval().low},
          {"high", report.step_time_interval().high},
          {"relative_standard_error", report.step_time_error.relative},
          {"faster_standard_error",
           report.step_time_error.faster.value_or(report.step_time_error.relative)},
          {"slower_standard_error", report.step_time_error.slower},
          {"error_causes", causes_json(report.step_time_error)},
          {"expected", mean},
          {"expected_std", report.step_spread.deviation_s()}};
}

Json parameters_json(const ParameterCounts& counts) {
  Json json{{"total", counts.model},
            {"fullest_gpu", counts.fullest},
            {"fullest_stage", counts.fullest_stage},
            {"mean_gpu", counts.mean}};
  if (counts.trained != counts.model) json["trained"] = counts.trained;
  return json;
}

Json training_run_json(const Report& report, const TrainingGoal& goal) {
  const TrainingRun run = training_run(report, goal.tokens, goal.usd_per_gpu_hour);
  Json json{{"tokens", goal.tokens}, {"days", run.days}, {"gpu_hours", run.gpu_hours}};
  if (goal.usd_per_gpu_hour) json["usd_per_gpu_hour"] = *goal.usd_per_gpu_hour;
  if (run.usd) json["cost_usd"] = *run.usd;
  return json;
}

/// What comes before the figures.
Json titled_json(const Report& report) {
  Json json;
  json["schema"] = "simtrain.result/1";
  json["scenario"] = report.scenario;
  json["source"] = report.source;
  add_changes(json, changes_of(report));
  json["cluster"] = report.cluster;
  json["model"] = report.model;
  json["software"] = report.software;
  return json;
}

Json steps_in_row_json(const Report& report) {
  Json rows = Json::array();
  for (const StepsInRow& row : report.steps_in_row) {
    rows.push_back({{"first", row.first},
                    {"count", row.count},
                    {"start_s", row.start_s},
                    {"step_time_s", row.step_time_s},
                    {"slower_s", row.slower_s}});
  }
  return rows;
}

}  // namespace

Json result_json(const Report& report, const TrainingGoal& goal, const AskedParts& asked) {
  Json json = titled_json(report);
  json["gpus"] = report.gpus;
  json["data_parallel_size"] = report.data_parallel;
  json["micro_batches"] = report.micro_batches;
  json["seq_length"] = report.recipe.keys.training.seq_length;
  json["tokens_per_step"] = report.tokens_per_step();
  json["parameters"] = parameters_json(report.parameters);
  json["step_time_s"] = step_time_json(report);
  if (report.sample) {
    json["steps_s"] = report.sample->seconds;
    json["seed"] = report.sample->seed;
  }
  json["tokens_per_s"] = report.tokens_per_s;
  json["tflops_per_gpu"] = report.tflops_per_gpu;
  json["mfu"] = report.mfu;
  json["mfu_convention"] = name_of(report.mfu_convention);
  json["days_per_1t_tokens"] = report.days_per_1t_tokens;
  json["training_run"] = training_run_json(report, goal);
  json["model_flops_per_sample"] = report.model_flops_per_sample;
  json["peak_tflops_per_gpu"] = report.peak_tflops_per_gpu;
  json["sm_clock"] = report.clock;
  json["breakdown_s"] = breakdown_json(report);
  json["memory"] = stages_json(report);
  json["communication"] = communication_json(report);
  json["energy"] = energy_json(report.energy);
  json["faults"] = report.faults;
  if (!report.steps_in_row.empty()) json["steps_in_row"] = steps_in_row_json(report);
  json["placement"] = placement_json(report.placement);
  json["engine"] = {{"events", report.engine.events},
                    {"repeated_events", report.engine.repeated_events},
                    {"wall_s", report.engine.wall_s},
                    {"ranks", report.engine.ranks},
                    {"ranks_simulated", report.engine.ranks_simulated},
                    {"fingerprint", report.engine.fingerprint}};
  json["recipe"] = recipe_json(report.recipe);
  if (asked.work != nullptr) add_work(json, *asked.work);
  if (asked.explanation != nullptr) json["explain"] = explanation_json(*asked.explanation);
  return json;
}

std::string json_report(const Report& report, const TrainingGoal& goal, const AskedParts& asked) {
  return json_text(result_json(report, goal, asked));
}

std::string json_table(const std::vector<std::string>& row_names,
                       const std::vector<Report>& reports, const TrainingGoal& goal) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < reports.size(); ++i)
    rows.push_back({{"row", row_names[i]}, {"result", result_json(reports[i], goal, {})}});
  return json_text({{"schema", "simtrain.results/1"}, {"rows", std::move(rows)}});
}

}  // namespace simtrain
