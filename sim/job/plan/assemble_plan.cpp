#include <algorithm>
#include <cmath>

#include "sim/core/quantity.h"
#include "sim/job/plan/data_loading.h"
#include "sim/job/plan/job_states.h"

namespace simtrain {
namespace {

/// Of a step the passes forward alone: without the gradients' reduction, the optimizer, and of the
/// FLOPs one part in three, or in four where the backward computes the forward again.
double forward_only_s(const Recipe& recipe, const Report& report) {
  Breakdown breakdown = report.breakdown;
  const double passes = report.step_time_s - part(breakdown, Share::data_parallel) -
                        part(breakdown, Share::optimizer);
  const double again =
      recipe.recompute == Recompute::full ? 1.0 / recipe.recompute_every_nth_layer : 0;
  return passes / (3 + again);
}

FailureKind failure_kind(const JobInputs& job, const JobReplicas& replicas, const FailureRow& row) {
  FailureKind kind;
  kind.component = row.component;
  kind.takes = row.takes;
  kind.effect = row.effect;
  kind.rate = rate_per_unit(job.failures->observed, row) * units_of_job(job, row.per);
  const double nodes = job.scenario.placement.nodes;
  switch (row.takes) {
    case FailureReach::none:
      kind.nodes = 0;
      break;
    case FailureReach::node:
      kind.nodes = 1;
      break;
    case FailureReach::unit:
      kind.nodes = std::min(nodes, double{1} * job.scenario.cluster.fabric.nodes_per_unit.value);
      break;
  }
  if (row.per != FailureUnit::job)
    kind.sets = row.takes == FailureReach::unit ? replicas.sets_of_unit : replicas.sets_of_node;
  kind.detection_s = to_seconds(row.detection.value);
  kind.repair_s = row.repair ? to_seconds(row.repair->value) : 0;
  return kind;
}

SavePlan save_plan(const CheckpointCost& cost, bool async, FailureReach outlives, double interval) {
  SavePlan save;
  save.interval = interval;
  save.copy_s = cost.copy_s;
  save.write_s = cost.write_s;
  save.async = async;
  save.load_s = cost.load_s;
  save.outlives = outlives;
  save.drain_s = outlives == FailureReach::unit ? 0 : cost.drain_s;
  return save;
}

void add_restart(const JobInputs& job, JobPlan& plan) {
  plan.groups_s = job.events.connections_s(plan.gpus);
  plan.first_step_s = job.events.first_step_s(job.scenario.recipe.software.name);
  if (!job.failures) return;
  const RestartSpec& restart = job.failures->restart;
  plan.scheduler_s = to_seconds(restart.scheduler.value);
  plan.launch_s = to_seconds(restart.launch.value);
  plan.manual_share = restart.manual_share.value;
  plan.manual_s = to_seconds(restart.manual_delay.value);
}

/// How long a GPU's part of a replica's state takes from its peer over the NICs of training.
double fetch_s(const JobInputs& job, const CheckpointShape& shape, const JobReplicas& replicas) {
  const ClusterSpec& cluster = job.scenario.cluster;
  const double of_gpu =
      cluster.usable_nic_bandwidth().value() * cluster.node.nics.value / cluster.node.gpus;
  return shape.bytes / replicas.gpus / of_gpu;
}

/// A set of replicas starts as the job does, but for its communicators, which are of its own GPUs,
/// and for its state, which it fetches from others.
ReplicaPlan replica_plan(const JobInputs& job, const CheckpointShape& shape,
                         const JobReplicas& replicas) {
  const double gpus = replicas.gpus * replicas.together;
  ReplicaPlan plan;
  plan.sets = replicas.sets;
  plan.notice_s = to_seconds(job.tolerance->notice.value);
  plan.leave_s = to_seconds(job.tolerance->leave.value);
  plan.join_s = to_seconds(job.tolerance->join.value);
  plan.groups_s = job.events.connections_s(gpus);
  plan.fetch_s = fetch_s(job, shape, replicas);
  return plan;
}

void add_length(const JobSpec& spec, JobPlan& plan) {
  if (spec.days) plan.horizon_s = *spec.days * kSecondsPerDay;
  if (spec.train_iters) plan.goal_steps = static_cast<double>(*spec.train_iters);
  if (spec.tokens) plan.goal_steps = std::ceil(*spec.tokens / plan.tokens_per_step);
}

/// While a save beside training, or a drain, moves over the NICs of training, steps take as long as
/// in their state.
void slow_beside(const NetworkUse& use, const CheckpointCost& cost, double step_s, double healthy_s,
                 SavePlan& save) {
  if (!use.takes() || (!save.async && save.drain_s == 0)) return;
  save.slows_s = cost.network_s * use.slowed * (1 - healthy_s / std::max(healthy_s, step_s));
}

void add_saves(const JobInputs& job, const JobCheckpoints& checkpoints, const JobStates& states,
               const std::vector<Report>& reports, JobPlan& plan) {
  const CheckpointSpec& spec = job.spec.checkpoint;
  plan.persistent = save_plan(checkpoints.persistent, spec.async_save, job.storage.outlives(), 0);
  plan.persistent.drained_load_s = checkpoints.drained_load_s;
  if (job.local) {
    plan.local = save_plan(checkpoints.local, spec.async_save, job.local->outlives(),
                           *spec.non_persistent_save_interval);
  }
  slow_beside(checkpoints.persistent_use, checkpoints.persistent,
              reports[states.saving].step_time_s, plan.step_s, plan.persistent);
  slow_beside(checkpoints.local_use, checkpoints.local, reports[states.saving_local].step_time_s,
              plan.step_s, plan.local);
  plan.persistent.interval = spec.save_interval ? *spec.save_interval : suited_interval(plan);
}

}  // namespace

JobPlan job_plan(const JobInputs& job, const JobCheckpoints& checkpoints, const JobStates& states,
                 const std::vector<Report>& reports) {
  const Report& healthy = reports.front();
  JobPlan plan;
  plan.seed = static_cast<std::uint64_t>(job.spec.seed);
  plan.gpus = job.scenario.gpus();
  plan.nodes = job.scenario.placement.nodes;
  plan.spares = job.spec.spare_nodes;
  plan.step_s = healthy.step_time_s;
  plan.tokens_per_step = static_cast<double>(healthy.tokens_per_step());
  if (job.spec.eval)
    plan.eval_s = forward_only_s(job.scenario.recipe, healthy) * job.spec.eval->eval_iters /
                  job.spec.eval->eval_interval;
  for (const std::size_t state : states.smaller) {
    const Report& report = reports[state];
    plan.smaller.push_back(
        {report.step_time_s, static_cast<double>(report.tokens_per_step()) / plan.tokens_per_step});
  }
  if (job.data)
    plan.data = data_plan(data_shape(job.scenario, *job.spec.data), *job.spec.data, *job.data);
  plan.nodes_apart = states.replicas.nodes;
  add_restart(job, plan);
  if (job.tolerance) plan.replicas = replica_plan(job, checkpoints.shape, states.replicas);
  if (job.failures) {
    for (std::size_t row = 0; row < states.slowed.size(); ++row) {
      FailureKind& kind = plan.failures.emplace_back(
          failure_kind(job, states.replicas, job.failures->components[row]));
      kind.slowdowns.clear();
      for (std::size_t k = 0; k < plan.smaller.size(); ++k) {
        const double slowed = reports[states.slowed[row][k]].step_time_s;
        kind.slowdowns.push_back(std::max(1.0, slowed / plan.smaller[k].step_s));
      }
    }
  }
  add_length(job.spec, plan);
  add_saves(job, checkpoints, states, reports, plan);
  return plan;
}

}  // namespace simtrain
