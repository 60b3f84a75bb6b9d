#include "sim/workload/plan/communicators/host_groups.h"

#include <map>

namespace simtrain {
namespace {

using Users = std::map<int, int>;  ///< GPUs by link

void count(Users& users, const HostWay& way) {
  for (const int link : way.to_host) ++users[link];
  for (const int link : way.from_host) ++users[link];
  ++users[way.memory];
}

}  // namespace

void add_host_groups(const JobContext& context, Plan& plan) {
  const auto way_of = [&](int rank) -> const HostWay& {
    return context.cluster.host_way(context.placement.gpu(rank));
  };
  Users all;
  Users simulated;
  for (int rank = 0; rank < context.grid.ranks(); ++rank) count(all, way_of(rank));
  for (const SimulatedRank& rank : plan.ranks) count(simulated, way_of(rank.rank));
  for (std::uint32_t index = 0; index < plan.ranks.size(); ++index) {
    const HostWay& way = way_of(plan.ranks[index].rank);
    const auto add = [&](GroupKind kind, std::vector<int> links) {
      links.push_back(way.memory);
      Group group;
      group.members = {index};
      for (const int link : links)
        group.links.push_back({link, static_cast<double>(all[link]) / simulated[link]});
      plan.ranks[index].groups[static_cast<std::size_t>(kind)] =
          static_cast<std::uint32_t>(plan.groups.size());
      plan.groups.push_back(std::move(group));
    };
    add(GroupKind::to_host, way.to_host);
    add(GroupKind::from_host, way.from_host);
    add(GroupKind::on_host, {});
  }
}

}  // namespace simtrain
