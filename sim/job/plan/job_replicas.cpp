#include "sim/job/plan/job_replicas.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

/// Most sets of replicas on `nodes` neighbouring nodes of the cluster.
int most_sets_on(const Scenario& scenario, const JobReplicas& replicas, int nodes) {
  const Recipe& recipe = scenario.recipe;
  const Placement placement = place(scenario.cluster, scenario.placement);
  const int state_ranks = scenario.gpus() / (recipe.tp() * recipe.pp());
  const int shards = replicas.gpus / (recipe.tp() * recipe.pp());
  std::map<int, std::set<int>> sets;
  for (int rank = 0; rank < scenario.gpus(); ++rank) {
    // Ranks are in the order tp-cp-dp-pp, and neighbours of cp-dp shard their state.
    const int at = rank / recipe.tp() % state_ranks;
    sets[placement.gpu(rank) / (scenario.cluster.node.gpus * nodes)].insert(at / shards /
                                                                            replicas.together);
  }
  std::size_t most = 1;
  for (const auto& [unit, found] : sets) most = std::max(most, found.size());
  return static_cast<int>(most);
}

}  // namespace

int gpus_of_replica(const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  const int groups = recipe.sharding.data_parallel_replicate_degree;
  return groups > 1 ? scenario.gpus() / groups : recipe.tp() * recipe.cp() * recipe.pp();
}

JobReplicas job_replicas(const Scenario& scenario) {
  const int in_node = scenario.cluster.node.gpus;
  JobReplicas replicas;
  replicas.gpus = gpus_of_replica(scenario);
  const int fills = std::lcm(replicas.gpus, in_node);
  replicas.together = fills / replicas.gpus;
  replicas.nodes = fills / in_node;
  replicas.sets = std::max(1, scenario.gpus() / fills);
  replicas.sets_of_node = most_sets_on(scenario, replicas, 1);
  replicas.sets_of_unit =
      most_sets_on(scenario, replicas, scenario.cluster.fabric.nodes_per_unit.value);
  return replicas;
}

bool replicas_are_whole(const Recipe& recipe) {
  return recipe.sharding.data_parallel_replicate_degree > 1 ||
         !sharding_of(recipe).shards_optimizer;
}

}  // namespace simtrain
