#include "sim/core/quantity.h"
#include "sim/job/plan/data_loading.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/training/goodput_report.h"

namespace simtrain {
namespace {

using GoodputJson = nlohmann::ordered_json;

GoodputJson spread_json(const Spread& spread) {
  return {{"mean", spread.mean}, {"p5", spread.p5},   {"p10", spread.p10},
          {"p50", spread.p50},   {"p90", spread.p90}, {"p95", spread.p95}};
}

GoodputJson used_json(const UsedTime& used) {
  auto json = GoodputJson::object();
  for (const auto& [name, use] : EnumNames<TimeUse>::rows) json[std::string(name)] = used[use];
  return json;
}

GoodputJson job_summary_json(const JobSummary& summary) {
  return {{"runs", summary.runs},
          {"finished", summary.finished},
          {"elapsed_s", spread_json(summary.elapsed_s)},
          {"steps", spread_json(summary.steps)},
          {"goodput", spread_json(summary.goodput)},
          {"effective_time", spread_json(summary.effective_time)},
          {"interruptions", spread_json(summary.interruptions)},
          {"restarts", summary.restarts},
          {"saves", summary.saves},
          {"gpu_hours", summary.gpu_hours},
          {"spare_gpu_hours", summary.spare_gpu_hours}};
}

/// A price is there where the scenario gives one.
GoodputJson bill_json(const Goodput& goodput) {
  const StepEnergy& step = goodput.reports.front().energy;
  const JobBill bill = goodput.bill();
  GoodputJson json{{"joules", bill.joules()}, {"joules_waiting", bill.waiting_joules}};
  if (step.gpu_price) json["gpu_usd"] = bill.cost.gpu_usd;
  if (step.electricity_price) json["electricity_usd"] = bill.cost.electricity_usd;
  if (step.grid) json["carbon_kg"] = bill.cost.carbon_kg;
  return json;
}

GoodputJson power_json(const Goodput& goodput) {
  constexpr std::size_t kParts = 100;
  const PowerOfRun power = goodput.power().in(kParts);
  return {{"step_w", power.levels.step_w},
          {"step_least_w", power.levels.step_least_w},
          {"step_most_w", power.levels.step_most_w},
          {"waiting_w", power.levels.waiting_w},
          {"part_s", power.part_s},
          {"mean_w", power.mean_w},
          {"least_w", power.least_w},
          {"most_w", power.most_w}};
}

GoodputJson checkpoint_json(const Goodput& goodput) {
  const CheckpointShape& shape = goodput.checkpoints.shape;
  const CheckpointCost& cost = goodput.checkpoints.persistent;
  const SavePlan& save = goodput.plan.persistent;
  return {{"storage", goodput.inputs.storage.name},
          {"bytes", shape.bytes},
          {"writers", shape.writers},
          {"copy_s", cost.copy_s},
          {"write_s", cost.write_s},
          {"drain_s", cost.drain_s},
          {"stall_s", goodput.plan.waits_s(save)},
          {"load_s", cost.load_s},
          {"drained_load_s", goodput.checkpoints.drained_load_s},
          {"host_bytes_per_node", goodput.checkpoints.host_bytes_per_node()},
          {"load_bytes_per_gpu", cost.load_bytes_per_gpu},
          {"save_interval", save.interval}};
}

/// Of checkpoints between those.
GoodputJson local_json(const Goodput& goodput) {
  const CheckpointCost& cost = goodput.checkpoints.local;
  const SavePlan& save = goodput.plan.local;
  return {{"storage", goodput.inputs.local->name},
          {"copy_s", cost.copy_s},
          {"write_s", cost.write_s},
          {"stall_s", goodput.plan.waits_s(save)},
          {"load_s", cost.load_s},
          {"save_interval", save.interval}};
}

GoodputJson data_json(const Goodput& goodput) {
  const JobPlan& plan = goodput.plan;
  const DataShape shape = data_shape(goodput.inputs.scenario, *goodput.inputs.spec.data);
  return {{"storage", goodput.inputs.data->name},
          {"loaders", shape.loaders},
          {"bytes_per_step", shape.bytes},
          {"fed_s", plan.data.wait_s(0, 1)},
          {"wait_s", plan.data.wait_s(plan.step_s, 1)}};
}

GoodputJson tolerance_json(const Goodput& goodput) {
  const ReplicaPlan& replicas = *goodput.plan.replicas;
  return {{"name", goodput.inputs.tolerance->name},
          {"sets", replicas.sets},
          {"nodes_of_set", goodput.plan.nodes_apart},
          {"most_out", goodput.plan.smaller.size() - 1},
          {"stall_s", replicas.notice_s + replicas.leave_s},
          {"join_s", replicas.join_s},
          {"departures", goodput.summary.departures}};
}

GoodputJson failures_json(const Goodput& goodput) {
  GoodputJson rows = GoodputJson::array();
  for (std::size_t kind = 0; kind < goodput.plan.failures.size(); ++kind) {
    const FailureKind& failure = goodput.plan.failures[kind];
    rows.push_back({{"component", failure.component},
                    {"effect", name_of(failure.effect)},
                    {"per_day", failure.rate * kSecondsPerDay},
                    {"mean_of_a_run", goodput.summary.failures[kind]},
                    {"nodes", failure.nodes},
                    {"slowdown", failure.slowdowns.front()}});
  }
  return rows;
}

GoodputJson tried_json(const std::vector<ChangedJob>& jobs) {
  GoodputJson rows = GoodputJson::array();
  for (const ChangedJob& job : jobs)
    rows.push_back({{"change", job.change},
                    {"value", job.value},
                    {"goodput", job.summary.goodput.mean},
                    {"elapsed_s", job.summary.elapsed_s.mean},
                    {"gpu_hours", job.summary.gpu_hours + job.summary.spare_gpu_hours}});
  return rows;
}

GoodputJson advice_json(const Goodput& goodput) {
  GoodputJson json{{"runs", goodput.tried_runs}};
  if (goodput.young_steps < kNever) {
    json["young_steps"] = goodput.young_steps;
    json["daly_steps"] = goodput.daly_steps;
  }
  json["intervals"] = tried_json(goodput.intervals);
  if (const ChangedJob* best = goodput.best_interval()) json["best_interval"] = best->value;
  json["spares"] = tried_json(goodput.spares);
  if (const ChangedJob* best = goodput.best_spares()) json["best_spares"] = best->value;
  json["changes"] = tried_json(goodput.changes);
  return json;
}

GoodputJson states_json(const Goodput& goodput) {
  GoodputJson rows = GoodputJson::array();
  for (std::size_t i = 0; i < goodput.reports.size(); ++i)
    rows.push_back({{"state", goodput.states.states[i].name},
                    {"step_time_s", goodput.reports[i].step_time_s},
                    {"fits", goodput.reports[i].fits()}});
  return rows;
}

}  // namespace

GoodputJson goodput_members(const Goodput& goodput) {
  GoodputJson json{{"schema", "simtrain.goodput/1"},
                   {"scenario", goodput.reports.front().scenario},
                   {"gpus", goodput.plan.gpus},
                   {"nodes", goodput.plan.nodes},
                   {"spare_nodes", goodput.plan.spares},
                   {"step_time_s", goodput.plan.step_s},
                   {"tokens_per_step", goodput.plan.tokens_per_step},
                   {"seed", goodput.plan.seed}};
  json["summary"] = job_summary_json(goodput.summary);
  if (const auto interval = goodput.elapsed_interval())
    json["elapsed_interval_s"] = {{"low", interval->low}, {"high", interval->high}};
  if (goodput.plan.replicas) json["fault_tolerance"] = tolerance_json(goodput);
  json["bill"] = bill_json(goodput);
  json["power"] = power_json(goodput);
  json["used_s"] = used_json(goodput.summary.used);
  if (goodput.inputs.data) json["data"] = data_json(goodput);
  json["checkpoint"] = checkpoint_json(goodput);
  if (goodput.inputs.local) json["local_checkpoint"] = local_json(goodput);
  json["failures"] = failures_json(goodput);
  json["states"] = states_json(goodput);
  json["advice"] = advice_json(goodput);
  return json;
}

std::string goodput_json(const Goodput& goodput) { return json_text(goodput_members(goodput)); }

}  // namespace simtrain
