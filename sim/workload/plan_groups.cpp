#include "sim/workload/plan_groups.h"

#include <set>

namespace simtrain {

void PlanGroups::add_ranks(const std::vector<int>& ranks) {
  for (const int rank : ranks) {
    if (stand_in_[static_cast<std::size_t>(rank)] != rank) continue;
    simulated_[rank] = static_cast<std::uint32_t>(plan_.ranks.size());
    SimulatedRank simulated;
    simulated.rank = rank;
    simulated.stage = context_.grid.coordinates(rank).pp;
    plan_.ranks.push_back(simulated);
  }
  for (const auto& [rank, index] : simulated_) {
    add_group(index, GroupSlot::tensor, context_.grid.tensor_group(rank));
    add_group(index, GroupSlot::context, context_.grid.context_group(rank));
    add_group(index, GroupSlot::replica, context_.grid.tensor_context_group(rank));
    add_group(index, GroupSlot::data, context_.grid.data_context_group(rank));
    if (context_.grid.pp() > 1) {
      add_pair(GroupSlot::to_next, rank, context_.grid.stage_neighbour(rank, 1));
      add_pair(GroupSlot::to_previous, rank, context_.grid.stage_neighbour(rank, -1));
    }
  }
  add_world();
}

std::vector<std::uint32_t> PlanGroups::simulated_for(const std::vector<int>& ranks) const {
  std::set<std::uint32_t> members;
  for (const int rank : ranks) {
    const auto found = simulated_.find(stand_in_[static_cast<std::size_t>(rank)]);
    if (found != simulated_.end()) members.insert(found->second);
  }
  return {members.begin(), members.end()};
}

void PlanGroups::add_group(std::uint32_t simulated, GroupSlot slot, const std::vector<int>& ranks) {
  std::vector<std::uint32_t> members = simulated_for(ranks);
  const auto [known, fresh] =
      known_.try_emplace({slot, members.front()}, static_cast<std::uint32_t>(plan_.groups.size()));
  plan_.ranks[simulated].groups[static_cast<std::size_t>(slot)] = known->second;
  if (!fresh) return;
  Group& group = plan_.groups.emplace_back();
  group.members = std::move(members);
  if (slot != GroupSlot::replica && ranks.size() > 1) load_ring(group, ranks);
}

void PlanGroups::add_pair(GroupSlot slot, int from, int to) {
  if (!simulated_.contains(to)) return;
  const auto id = static_cast<std::uint32_t>(plan_.groups.size());
  Group group;
  group.members = {simulated_[from], simulated_[to]};
  const Route route =
      context_.cluster.route(context_.placement.gpu(from), context_.placement.gpu(to));
  add_route(group, route);
  plan_.groups.push_back(std::move(group));
  const GroupSlot other =
      slot == GroupSlot::to_next ? GroupSlot::from_previous : GroupSlot::from_next;
  plan_.ranks[simulated_[from]].groups[static_cast<std::size_t>(slot)] = id;
  plan_.ranks[simulated_[to]].groups[static_cast<std::size_t>(other)] = id;
}

void PlanGroups::add_route(Group& group, const Route& route) const {
  for (const LinkShare& link : route.links) {
    if (!owners_.shared(link.link) || !context_.cluster.inner_links_never_bind())
      group.links.push_back(link);
  }
}

void PlanGroups::load_own_links(Group& group, int gpu, double nvlink_share,
                                double nic_share) const {
  const GpuLinks& own = owners_.of_gpu(gpu);
  const double planes = static_cast<double>(own.nvlink.size()) / 2;
  for (const int link : own.nvlink) {
    if (nvlink_share > 0) group.links.push_back({link, nvlink_share / planes});
  }
  for (const int link : own.nic) {
    if (nic_share > 0) group.links.push_back({link, nic_share});
  }
}

void PlanGroups::load_ring(Group& group, const std::vector<int>& ranks) const {
  const std::vector<int> gpus = context_.placement.gpus(ranks);
  const GroupLayout layout = layout_of(context_.cluster, gpus);
  for (const std::uint32_t member : group.members) {
    load_own_links(group, context_.placement.gpu(plan_.ranks[member].rank),
                   layout.ranks_per_domain() > 1 ? 1 : 0,
                   layout.domains > 1 ? 1 / layout.ranks_per_domain() : 0);
  }
  if (context_.cluster.inner_links_never_bind()) return;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const Route route = context_.cluster.route(gpus[i], gpus[(i + 1) % gpus.size()]);
    for (const LinkShare& link : route.links) {
      if (owners_.shared(link.link)) group.links.push_back(link);
    }
  }
}

void PlanGroups::add_world() {
  Group world;
  for (std::uint32_t i = 0; i < plan_.ranks.size(); ++i) {
    world.members.push_back(i);
    plan_.ranks[i].groups[static_cast<std::size_t>(GroupSlot::model)] =
        static_cast<std::uint32_t>(plan_.groups.size());
  }
  plan_.groups.push_back(std::move(world));
}

}  // namespace simtrain
