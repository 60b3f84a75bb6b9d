#include "sim/study/what_if/place_next.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "sim/topology/placement/free_hosts.h"

namespace simtrain {
namespace {

struct NamedHosts {
  std::string name;
  std::vector<int> hosts;
};

std::vector<NamedHosts> candidates(const FabricScenario& fabric) {
  const FabricJob& job = fabric.jobs.back();
  const ClusterSpec& cluster = job.scenario.cluster;
  const int last = static_cast<int>(fabric.jobs.size()) - 1;
  const std::vector<bool> taken = fabric.taken_hosts(last);
  std::vector<NamedHosts> list;
  const auto add = [&](std::string name, std::vector<int> hosts) {
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](const NamedHosts& one) { return one.hosts == hosts; });
    if (!known) list.push_back({std::move(name), std::move(hosts)});
  };
  add("as in the file: " + job.placement, placed_hosts(cluster, job.scenario.placement));
  const auto placed = [&](PlacementKind kind, std::optional<int> seed) {
    PlacementRequest request = job.scenario.placement;
    request.spec = {kind, seed, {}, {}, {}};
    if (kind == PlacementKind::compact) request.spec.segment = job.scenario.placement.spec.segment;
    return free_hosts(cluster, request, taken);
  };
  add("compact", placed(PlacementKind::compact, {}));
  add("fewest units", hosts_in_fewest_units(cluster, job.scenario.placement.nodes, taken));
  add("spread", placed(PlacementKind::spread, {}));
  for (const int seed : {1, 2})
    add("random (seed " + std::to_string(seed) + ")", placed(PlacementKind::random, seed));
  return list;
}

PlacementChoice choice_of(const NamedHosts& candidate, const FabricResult& result) {
  const JobOnFabric& placed = result.jobs.back();
  PlacementChoice choice{candidate.name,
                         candidate.hosts,
                         placed.together_s,
                         placed.alone_s,
                         0,
                         placed.lost_gpus(),
                         {},
                         {}};
  for (const JobOnFabric& job : result.jobs) {
    const bool itself = &job == &placed;
    const double before = itself ? job.alone_s : job.without_s.back();
    choice.others_s.push_back(job.together_s);
    choice.others_before_s.push_back(before);
    if (!itself) choice.others_lost_gpus += job.gpus * (1 - before / job.together_s);
  }
  return choice;
}

}  // namespace

std::vector<PlacementChoice> place_last_job(const FabricScenario& fabric, const Watch& watch) {
  const std::vector<NamedHosts> list = candidates(fabric);
  const int last = static_cast<int>(fabric.jobs.size()) - 1;
  ClusterCache clusters;
  std::vector<PlacementChoice> choices;
  for (const NamedHosts& candidate : list) {
    FabricScenario placed = fabric;
    place_on(placed.jobs.back().scenario, candidate.hosts);
    choices.push_back(
        choice_of(candidate, share_fabric(placed, {.clusters = &clusters, .only_without = last})));
    if (watch) watch(choices.size(), list.size());
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const PlacementChoice& one, const PlacementChoice& other) {
                     return std::tie(one.others_lost_gpus, one.step_s) <
                            std::tie(other.others_lost_gpus, other.step_s);
                   });
  return choices;
}

}  // namespace simtrain
