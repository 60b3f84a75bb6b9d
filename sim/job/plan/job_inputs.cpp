#include "sim/job/plan/job_inputs.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/job/plan/job_replicas.h"
#include "sim/run/scenario/job_fields.h"

namespace simtrain {
namespace {

/// Throws at a key of the job.
class JobKeys {
 public:
  explicit JobKeys(const YamlNode& tree) : tree_(tree) {}
  [[nodiscard]] SourcePlace place(const std::string& key) const {
    return place_of(tree_, "job." + key);
  }
  void require(bool holds, const std::string& key, const std::string& sentence) const {
    if (!holds) throw InputError(place(key), "job." + key, sentence);
  }

 private:
  const YamlNode& tree_;
};

void check_length(const JobSpec& spec, const JobKeys& keys) {
  const int given = (spec.tokens ? 1 : 0) + (spec.train_iters ? 1 : 0) + (spec.days ? 1 : 0);
  keys.require(given == 1,
               given == 0  ? "tokens"
               : spec.days ? "days"
                           : "train_iters",
               given == 0 ? "is missing; tokens, train_iters or days says how long the job is"
                          : "is given beside another length of the job; one of them would do");
}

void check_spares(const JobInputs& job, const JobKeys& keys) {
  const int nodes = job.scenario.placement.nodes;
  keys.require(job.spec.spare_nodes <= nodes, "spare_nodes",
               fmt::format("{} are more than the {} nodes of the job; {} at most would do",
                           job.spec.spare_nodes, nodes, nodes));
}

bool loses_units(const JobInputs& job) {
  if (!job.failures) return false;
  const std::vector<FailureRow>& rows = job.failures->components;
  return std::any_of(rows.begin(), rows.end(), [](const FailureRow& row) {
    return row.takes == FailureReach::unit && row.events > 0;
  });
}

/// A storage, or the one that it drains to, outlives whatever fails.
void check_storage(const JobInputs& job, const JobKeys& keys) {
  const std::string& name = job.spec.checkpoint.storage;
  if (job.drain) return;
  keys.require(job.storage.outlives() != FailureReach::none, "checkpoint.storage",
               fmt::format("'{}' is lost with its node; one that is shared, replicated or "
                           "drains_to another would do",
                           name));
  keys.require(job.storage.outlives() == FailureReach::unit || !loses_units(job),
               "checkpoint.storage",
               fmt::format("'{}' is lost with its unit, and '{}' loses whole units; as "
                           "non_persistent_storage beside one that is shared it would do",
                           name, job.failures ? job.failures->name : ""));
}

void check_checkpoints(const JobInputs& job, const JobKeys& keys) {
  const CheckpointSpec& spec = job.spec.checkpoint;
  keys.require(!job.local || !job.local->drains_to, "checkpoint.non_persistent_storage",
               fmt::format("'{}' drains to another storage; as storage it would do",
                           spec.non_persistent_storage.value_or("")));
  keys.require(spec.save_interval || job.failures, "checkpoint.save_interval",
               "is missing, and without job.failures there is none that costs least");
  keys.require(
      spec.non_persistent_storage.has_value() == spec.non_persistent_save_interval.has_value(),
      spec.non_persistent_storage ? "checkpoint.non_persistent_save_interval"
                                  : "checkpoint.non_persistent_storage",
      "is missing; non_persistent_storage and non_persistent_save_interval go together");
  const int between = spec.non_persistent_save_interval.value_or(1);
  keys.require(
      !spec.save_interval || *spec.save_interval % between == 0,
      "checkpoint.non_persistent_save_interval",
      fmt::format("{} does not divide save_interval {}", between, spec.save_interval.value_or(0)));
}

/// GPUs that leave a job together where replicas are given up: whole nodes of whole replicas.
void check_elastic(const JobInputs& job, const JobKeys& keys) {
  const Recipe& recipe = job.scenario.recipe;
  if (job.spec.elastic_replicas == 0) return;
  const int replicas = job.scenario.gpus() / gpus_of_replica(job.scenario);
  keys.require(job.spec.elastic_replicas < replicas, "elastic_replicas",
               fmt::format("{} of {} replicas leave none; {} would do", job.spec.elastic_replicas,
                           replicas, replicas - 1));
  keys.require(!recipe.model.has_experts(), "elastic_replicas",
               "is of models without experts, whose groups span replicas");
  keys.require(job.scenario.placement.spec.kind == PlacementKind::compact, "elastic_replicas",
               "needs cluster.placement compact");
}

/// Where replicas leave and come back, the others need nothing of theirs.
void check_tolerance(const JobInputs& job, const JobKeys& keys) {
  if (!job.tolerance) return;
  const JobReplicas replicas = job_replicas(job.scenario);
  keys.require(replicas_are_whole(job.scenario.recipe), "fault_tolerance",
               "needs replicas that each hold all of the state; "
               "sharding.data_parallel_replicate_degree above 1 or strategy ddp would do");
  keys.require(job.spec.elastic_replicas >= replicas.together, "elastic_replicas",
               fmt::format("{} leave no replica out; job.fault_tolerance needs {}, which fill {} "
                           "node{}, or more",
                           job.spec.elastic_replicas, replicas.together, replicas.nodes,
                           replicas.nodes > 1 ? "s" : ""));
  keys.require(job.failures.has_value(), "fault_tolerance",
               "is of failures, and job.failures is missing");
  const bool returns = std::any_of(
      job.failures->components.begin(), job.failures->components.end(), [](const FailureRow& row) {
        return row.effect == FailureEffect::stops && row.per == FailureUnit::job;
      });
  keys.require(job.spec.checkpoint.save_interval || returns, "checkpoint.save_interval",
               "is missing, and with job.fault_tolerance no failure goes back to a checkpoint, so "
               "that there is none that costs least");
}

}  // namespace

JobInputs load_job(const DataFolder& data, const Scenario& scenario, const YamlNode& tree) {
  const YamlNode* spec = tree.find("job");
  if (spec == nullptr)
    throw InputError(tree.place, "job",
                     "is missing; --set job.tokens=15e12 --set job.failures=production-h100 --set "
                     "job.checkpoint.storage=lustre-superpod would do ('simtrain help scenario' "
                     "lists its keys)");
  const JobKeys keys(tree);
  JobInputs job;
  job.scenario = scenario;
  job.spec = read_yaml<JobSpec>(*spec, "job");
  const CheckpointSpec& checkpoint = job.spec.checkpoint;
  const auto storage = [&](const std::string& name, const std::string& key) {
    return load_storage(data, name, keys.place(key), "job." + key);
  };
  if (job.spec.failures)
    job.failures = load_failures(data, *job.spec.failures, keys.place("failures"), "job.failures");
  if (job.spec.fault_tolerance)
    job.tolerance = load_tolerance(data, *job.spec.fault_tolerance, keys.place("fault_tolerance"),
                                   "job.fault_tolerance");
  job.storage = storage(checkpoint.storage, "checkpoint.storage");
  if (job.storage.drains_to) job.drain = storage(*job.storage.drains_to, "checkpoint.storage");
  if (checkpoint.non_persistent_storage)
    job.local = storage(*checkpoint.non_persistent_storage, "checkpoint.non_persistent_storage");
  if (job.spec.data) job.data = storage(job.spec.data->storage, "data.storage");
  job.staging = storage(kHostMemory, "checkpoint");
  job.events = load_step_events(data);
  check_length(job.spec, keys);
  check_spares(job, keys);
  check_storage(job, keys);
  check_checkpoints(job, keys);
  check_elastic(job, keys);
  check_tolerance(job, keys);
  return job;
}

double units_of_job(const JobInputs& job, FailureUnit unit) {
  const ClusterSpec& cluster = job.scenario.cluster;
  const double nodes = job.scenario.placement.nodes;
  switch (unit) {
    case FailureUnit::gpu:
      return job.scenario.gpus();
    case FailureUnit::nic:
      return nodes * cluster.node.nics.value;
    case FailureUnit::node:
      return nodes;
    case FailureUnit::unit: {
      const double in_unit = cluster.fabric.nodes_per_unit.value;
      return std::max(1.0, nodes / in_unit);
    }
    case FailureUnit::job:
      return 1;
  }
  return 1;
}

}  // namespace simtrain
