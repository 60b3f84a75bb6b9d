#include "sim/study/what_if/goodput.h"

#include <simtrain/job.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/api/result_of.h"
#include "sim/core/quantity.h"
#include "sim/output/run/text_report.h"
#include "sim/output/training/goodput_report.h"
#include "sim/output/training/job_report.h"
#include "sim/run/simulate.h"
#include "sim/study/what_if/job_advice.h"

namespace simtrain::api {
namespace {

Spread spread_of(const simtrain::Spread& spread) {
  return {spread.mean, spread.p5, spread.p10, spread.p50, spread.p90, spread.p95};
}

void add_summary(Goodput& result, const JobSummary& summary) {
  result.runs = summary.runs;
  result.finished = summary.finished;
  result.elapsed_s = spread_of(summary.elapsed_s);
  result.steps = spread_of(summary.steps);
  result.goodput = spread_of(summary.goodput);
  result.effective_time = spread_of(summary.effective_time);
  result.interruptions = spread_of(summary.interruptions);
  result.restarts = summary.restarts;
  result.saves = summary.saves;
  result.gpu_hours = summary.gpu_hours;
  result.spare_gpu_hours = summary.spare_gpu_hours;
  result.used.reserve(EnumNames<TimeUse>::rows.size());
  for (const auto& [name, use] : EnumNames<TimeUse>::rows)
    result.used.push_back({std::string(name), summary.used[use]});
}

void add_bill(Goodput& result, const simtrain::Goodput& found) {
  const StepEnergy& step = found.reports.front().energy;
  const JobBill bill = found.bill();
  result.joules = bill.joules();
  result.waiting_joules = bill.waiting_joules;
  if (step.gpu_price) result.gpu_usd = bill.cost.gpu_usd;
  if (step.electricity_price) result.electricity_usd = bill.cost.electricity_usd;
  if (step.grid) result.carbon_kg = bill.cost.carbon_kg;
}

Checkpoint checkpoint_of(const simtrain::Goodput& found) {
  const CheckpointShape& shape = found.checkpoints.shape;
  const CheckpointCost& cost = found.checkpoints.persistent;
  const SavePlan& save = found.plan.persistent;
  return {found.inputs.storage.name,
          shape.bytes,
          shape.writers,
          cost.copy_s,
          cost.write_s,
          found.plan.waits_s(save),
          cost.load_s,
          save.interval,
          cost.host_bytes_per_node};
}

void add_failures(Goodput& result, const simtrain::Goodput& found) {
  result.failures.reserve(found.plan.failures.size());
  for (std::size_t kind = 0; kind < found.plan.failures.size(); ++kind) {
    const FailureKind& failure = found.plan.failures[kind];
    result.failures.push_back({failure.component, std::string(name_of(failure.effect)),
                               failure.rate * kSecondsPerDay, found.summary.failures[kind],
                               static_cast<double>(failure.nodes), failure.slowdowns.front()});
  }
}

std::vector<JobChange> changes_of(const std::vector<ChangedJob>& jobs) {
  std::vector<JobChange> changes;
  changes.reserve(jobs.size());
  for (const ChangedJob& job : jobs)
    changes.push_back({job.change, job.value, job.summary.goodput.mean, job.summary.elapsed_s.mean,
                       job.summary.gpu_hours + job.summary.spare_gpu_hours});
  return changes;
}

Goodput result_of(const simtrain::Goodput& found) {
  Goodput result;
  result.scenario = found.reports.front().scenario;
  result.gpus = found.plan.gpus;
  result.nodes = found.plan.nodes;
  result.spare_nodes = found.plan.spares;
  result.step_time_s = found.plan.step_s;
  result.tokens_per_step = found.plan.tokens_per_step;
  add_summary(result, found.summary);
  add_bill(result, found);
  result.checkpoint = checkpoint_of(found);
  add_failures(result, found);
  if (found.young_steps < kNever) {
    result.young_steps = found.young_steps;
    result.daly_steps = found.daly_steps;
  }
  result.intervals = changes_of(found.intervals);
  result.spares = changes_of(found.spares);
  result.changes = changes_of(found.changes);
  result.text = goodput_text(found);
  result.json = goodput_json(found);
  return result;
}

JobInputs inputs_of(const Access::ScenarioContent& content, const simtrain::Scenario& checked) {
  return load_job(Access::of(content.data).folder, checked,
                  content.source.tree(content.row, content.settings));
}

JobAdvice advice_of(const simtrain::JobAdvice& found, bool priced) {
  return {std::string(name_of(found.kind)),
          found.change,
          found.settings,
          found.step_time_s,
          found.goodput,
          found.elapsed_s,
          found.saved_s,
          found.saved_gpu_hours,
          priced ? std::optional(found.saved_usd) : std::nullopt};
}

AdvisedJob advised(const SimulatedStep& step, const simtrain::AdvisedJob& found) {
  Report report = report_of(step);
  AdvisedJob result;
  result.runs = found.runs;
  result.refused = found.refused;
  result.text = text_report(report, steady_goal(found.goodput)) + job_text(found);
  result.json = job_json(report, found, {});
  result.step = api::result_of(std::move(report));
  result.goodput = result_of(found.goodput);
  const bool priced = found.goodput.reports.front().energy.priced();
  result.advice.reserve(found.advice.size());
  for (const simtrain::JobAdvice& one : found.advice)
    result.advice.push_back(advice_of(one, priced));
  return result;
}

/// While it is not known of how many parts.
Watch beginning(const Progress& progress) {
  if (!progress) return {};
  return [&progress](std::size_t, std::size_t) { progress(0, 1); };
}

}  // namespace

Goodput goodput(const Scenario& scenario, const GoodputOptions& options, const Progress& progress) {
  return guarded([&] {
    const auto& content = Access::of(scenario);
    const JobInputs inputs = inputs_of(content, content.scenario());
    return result_of(simtrain::goodput(
        inputs, {.changes = options.changes, .states = beginning(progress), .runs = progress}));
  });
}

AdvisedJob advise(const Scenario& scenario, const Progress& progress) {
  return guarded([&] {
    const auto& content = Access::of(scenario);
    const auto& data = Access::of(content.data);
    const simtrain::Scenario checked = content.scenario();
    const JobInputs inputs = inputs_of(content, checked);
    const SimulatedStep step = simulate_step(checked, {false, data.clusters.get(), {}});
    return advised(step, advised_job({content.source, data.folder, content.row, content.settings},
                                     step, inputs,
                                     {.steps = beginning(progress),
                                      .states = beginning(progress),
                                      .runs = beginning(progress),
                                      .jobs = progress}));
  });
}

}  // namespace simtrain::api
