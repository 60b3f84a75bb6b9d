#include "sim/job/plan/job_states.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/run/shared/fabric_scenario.h"
#include "sim/topology/fault_times.h"

namespace simtrain {
namespace {

/// The first host of the job that nothing is wrong with; its first one where there is none.
std::string healthy_host(const Scenario& scenario) {
  const std::vector<Host> hosts = hosts_of(scenario.cluster);
  const ClusterFaults& faults = scenario.cluster.faults;
  const auto names = [&](const std::string& given, int number) {
    return given == std::to_string(number) || given == hosts[as_index(number)].name;
  };
  const std::vector<int> placed = placed_hosts(scenario.cluster, scenario.placement);
  for (const int host : placed) {
    const bool faulty =
        std::any_of(faults.gpus.begin(), faults.gpus.end(),
                    [&](const SlowGpu& gpu) { return names(gpu.host, host); }) ||
        std::any_of(faults.nics.begin(), faults.nics.end(),
                    [&](const NicFault& nic) { return !nic.host || names(*nic.host, host); });
    if (!faulty) return std::to_string(host);
  }
  return std::to_string(placed.front());
}

Scenario with_fault(const Scenario& scenario, const FailureRow& row) {
  Scenario degraded = scenario;
  const std::string host = healthy_host(scenario);
  ClusterFaults& faults = degraded.cluster.faults;
  if (row.gpu_slowdown) faults.gpus.push_back({host, 0, row.gpu_slowdown->value, {}});
  if (row.nic_bandwidth_share) faults.nics.push_back({host, 0, row.nic_bandwidth_share->value, {}});
  return degraded;
}

std::string fault_name(const FailureRow& row) {
  return row.gpu_slowdown ? fmt::format("a GPU {:g} times as slow", row.gpu_slowdown->value)
                          : fmt::format("a NIC with {:g} % of its bandwidth",
                                        100 * row.nic_bandwidth_share->value);
}

/// What checkpoints leave of the network.
Scenario beside_saving(const Scenario& scenario, const NetworkUse& use) {
  Scenario busy = scenario;
  ClusterFaults& faults = busy.cluster.faults;
  faults.nics.insert(faults.nics.end(), use.left.nics.begin(), use.left.nics.end());
  faults.links.insert(faults.links.end(), use.left.links.begin(), use.left.links.end());
  return busy;
}

std::string saving_name(const NetworkUse& use) {
  std::string nics = fmt::format("checkpoints take {:.3g} % of the NICs", 100 * use.most_of_nic);
  if (use.most_of_link == 0) return nics;
  return nics +
         fmt::format(", {:.3g} % of the busiest link between switches", 100 * use.most_of_link);
}

/// The network use of checkpoints on a storage, which then take as long as it lets them.
NetworkUse share_network(const Scenario& scenario, const CheckpointShape& shape,
                         const StorageSpec& storage, const StorageSpec* drain,
                         CheckpointCost& cost) {
  const bool drains = drain != nullptr && drain->shares_nics();
  const StorageScope scope = drains ? drain->scope : storage.scope;
  NetworkUse use = network_use(scenario, {scope, cost.node_rate, shape.writing_nodes});
  (drains ? cost.drain_s : cost.write_s) += cost.network_s * (use.slowed - 1);
  return use;
}

std::string missing_name(int nodes) {
  return fmt::format("{} node{} missing", nodes, nodes > 1 ? "s" : "");
}

Scenario without_nodes(const Scenario& scenario, int nodes) {
  Scenario smaller = scenario;
  smaller.placement.nodes -= nodes;
  if (scenario.placement.spec.segment) {  // which need not divide what is left
    std::vector<int> hosts = placed_hosts(scenario.cluster, scenario.placement);
    hosts.resize(as_index(smaller.placement.nodes));
    place_on(smaller, hosts);
  }
  const std::int64_t batch = scenario.recipe.training.global_batch_size;
  smaller.recipe.training.global_batch_size =
      static_cast<int>(batch * smaller.placement.nodes / scenario.placement.nodes);
  int& groups = smaller.recipe.sharding.data_parallel_replicate_degree;
  groups = std::max(1, groups * smaller.placement.nodes / scenario.placement.nodes);
  return smaller;
}

}  // namespace

JobCheckpoints job_checkpoints(const JobInputs& job) {
  JobCheckpoints checkpoints;
  checkpoints.shape = checkpoint_shape(job.scenario, job.spec.checkpoint);
  const StorageSpec* drain = job.drain ? &*job.drain : nullptr;
  const ClusterSpec& cluster = job.scenario.cluster;
  const Bandwidth nics = cluster.usable_nic_bandwidth() * cluster.node.nics.value;
  checkpoints.persistent =
      checkpoint_cost(checkpoints.shape, job.storage, job.staging, drain, nics);
  checkpoints.persistent_use =
      share_network(job.scenario, checkpoints.shape, job.storage, drain, checkpoints.persistent);
  if (job.local) {
    checkpoints.local = checkpoint_cost(checkpoints.shape, *job.local, job.staging, nullptr, nics);
    checkpoints.local_use =
        share_network(job.scenario, checkpoints.shape, *job.local, nullptr, checkpoints.local);
  }
  if (drain != nullptr)
    checkpoints.drained_load_s =
        checkpoint_cost(checkpoints.shape, *drain, job.staging, nullptr, nics).load_s;
  return checkpoints;
}

JobStates job_states(const JobInputs& job, const JobCheckpoints& checkpoints) {
  refuse_fault_times(job.scenario.cluster.faults, "goodput");
  JobStates states;
  const auto state = [&](const std::string& name, const Scenario& scenario) {
    const auto known = std::find_if(states.states.begin(), states.states.end(),
                                    [&](const StepState& other) { return other.name == name; });
    if (known != states.states.end())
      return static_cast<std::size_t>(known - states.states.begin());
    states.states.push_back({name, scenario});
    return states.states.size() - 1;
  };
  const ClusterFaults& faults = job.scenario.cluster.faults;
  const bool healthy = faults.gpus.empty() && faults.nics.empty() && faults.links.empty();
  state(healthy ? "healthy" : "with the faults of the cluster", job.scenario);
  states.replicas = job_replicas(job.scenario);
  states.smaller.push_back(0);
  for (int k = 1; k * states.replicas.together <= job.spec.elastic_replicas; ++k) {
    const int nodes = k * states.replicas.nodes;
    states.smaller.push_back(state(missing_name(nodes), without_nodes(job.scenario, nodes)));
  }
  if (job.failures) {
    for (const FailureRow& row : job.failures->components) {
      const bool slows = row.effect == FailureEffect::slows && row.events > 0;
      std::vector<std::size_t>& slowed = states.slowed.emplace_back(states.smaller);
      for (std::size_t k = 0; slows && k < slowed.size(); ++k) {
        const int nodes = static_cast<int>(k) * states.replicas.nodes;
        const std::string name = k > 0 ? missing_name(nodes) + ", " : "";
        slowed[k] =
            state(name + fault_name(row),
                  with_fault(k > 0 ? without_nodes(job.scenario, nodes) : job.scenario, row));
      }
    }
  }
  const auto saving = [&](const NetworkUse& use) {
    return use.takes() ? state(saving_name(use), beside_saving(job.scenario, use)) : 0;
  };
  states.saving = saving(checkpoints.persistent_use);
  states.saving_local = saving(checkpoints.local_use);
  return states;
}

}  // namespace simtrain
