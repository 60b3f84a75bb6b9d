#include "sim/workload/plan/communicators/plan_groups.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/workload/plan/communicators/host_groups.h"

namespace simtrain {
namespace {

std::size_t at(GroupKind kind) { return static_cast<std::size_t>(kind); }

}  // namespace

PlanGroups::PlanGroups(const JobContext& context, Plan& plan, const ProgramCalls& calls,
                       const std::vector<int>& representative, const std::vector<int>& like)
    : context_(context),
      plan_(plan),
      representative_(representative),
      like_(like),
      links_(context.cluster),
      simulated_(representative.size(), kNone) {
  for (std::size_t number = 0; number < plan_.programs.size(); ++number) {
    const Program& program = plan_.programs[number];
    for (const ProgramCall& call : calls[number])
      note_call(call.group, program.transfers[call.cost]);
    for (const PassTraffic& inner : program.inner) {
      for (std::size_t i = 0; i < inner.size(); ++i) {
        if (inner[i].wire > 0) note_call(inner_kinds()[i], inner[i].call);
      }
    }
  }
}

void PlanGroups::add_ranks(const std::vector<int>& ranks) {
  for (const int rank : ranks) {
    if (representative_[static_cast<std::size_t>(rank)] != rank) continue;
    simulated_[static_cast<std::size_t>(rank)] = static_cast<std::uint32_t>(plan_.ranks.size());
    SimulatedRank simulated;
    simulated.rank = rank;
    simulated.like = like_[static_cast<std::size_t>(rank)];
    simulated.stage = context_.grid.coordinates(rank).pp;
    plan_.ranks.push_back(simulated);
  }
  for (std::uint32_t index = 0; index < plan_.ranks.size(); ++index) {
    const int rank = plan_.ranks[index].rank;
    for (const GroupRow& row : group_rows()) {
      const bool called = !calls_[at(row.kind)].empty();
      const bool meets = row.meets.step && context_.grid.ranks_of(row.kind) > 1;
      if (meets || row.kind == GroupKind::replica || (row.calls.anywhere() && called))
        add_group(index, row.kind);
    }
    if (context_.grid.pp() > 1) {
      add_pair(GroupKind::to_next, rank, context_.grid.stage_neighbour(rank, 1));
      add_pair(GroupKind::to_previous, rank, context_.grid.stage_neighbour(rank, -1));
      for (const GroupKind kind : {GroupKind::back_to_next, GroupKind::back_to_previous}) {
        if (calls_[at(kind)].empty()) continue;
        add_pair(kind, rank, context_.grid.stage_neighbour(rank, row_of(kind).step));
      }
    }
  }
  add_world();
  const auto called = [&](GroupKind kind) { return !calls_[at(kind)].empty(); };
  if (called(GroupKind::to_host) || called(GroupKind::from_host) || called(GroupKind::on_host))
    add_host_groups(context_, plan_);
  number_links();
}

std::vector<std::uint32_t> PlanGroups::simulated_for(const std::vector<int>& ranks) const {
  std::vector<std::uint32_t> members;
  for (const int rank : ranks) {
    const std::uint32_t member = simulated(representative_[static_cast<std::size_t>(rank)]);
    if (member != kNone && (members.empty() || members.back() != member)) members.push_back(member);
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

void PlanGroups::add_group(std::uint32_t simulated, GroupKind kind) {
  if (!joined_.insert({kind, simulated}).second) return;
  const std::vector<int> ranks = context_.grid.group(kind, plan_.ranks[simulated].rank);
  std::vector<std::uint32_t> members = simulated_for(ranks);
  const auto [known, fresh] =
      known_.try_emplace({kind, members.front()}, static_cast<std::uint32_t>(plan_.groups.size()));
  plan_.ranks[simulated].groups[at(kind)] = known->second;
  if (!fresh) return;
  if (members.size() == ranks.size()) {  // no member represents others: it is the group of them all
    for (const std::uint32_t member : members) {
      plan_.ranks[member].groups[at(kind)] = known->second;
      joined_.insert({kind, member});
    }
  }
  Group& group = plan_.groups.emplace_back();
  group.members = std::move(members);
  if (ranks.size() == 1) return;
  std::vector<int> loaded;
  loaded.reserve(group.members.size());
  for (const std::uint32_t member : group.members)
    loaded.push_back(context_.placement.gpu(plan_.ranks[member].rank));
  const std::vector<int> gpus = context_.placement.gpus(ranks);
  // A member may also represent one of another group, so that their number alone shows nothing.
  const bool folded = !std::is_permutation(loaded.begin(), loaded.end(), gpus.begin(), gpus.end());
  for (const TransferCost& cost : calls_[at(kind)]) {
    const bool messages = cost.collective == Collective::send_receive;
    group.link_sets.push_back(
        {cost.algorithm, cost.load,
         folded && messages ? message_links(group, cost.sms) : links_.of_call(cost, gpus, loaded)});
  }
}

/// Each member with the messages of its own ring, which may be another than that of the others: it
/// represents one of theirs. Of their links only those of members, which represent all others.
std::vector<LinkShare> PlanGroups::message_links(const Group& group, int connections) const {
  const RankGrid& grid = context_.grid;
  std::set<std::pair<int, int>> messages;  // ranks
  std::vector<int> loaded;
  for (const std::uint32_t member : group.members) {
    const int rank = plan_.ranks[member].rank;
    messages.insert({rank, grid.context_neighbour(rank, 1)});
    messages.insert({grid.context_neighbour(rank, -1), rank});
    loaded.push_back(context_.placement.gpu(rank));
  }
  std::vector<GroupLinks::Way> ways;
  ways.reserve(messages.size());
  for (const auto& [from, to] : messages)
    ways.push_back({context_.placement.gpu(from), context_.placement.gpu(to)});
  return links_.own_links(links_.of_messages(ways, connections), loaded);
}

void PlanGroups::note_call(GroupKind kind, const TransferCost& cost) {
  std::vector<TransferCost>& calls = calls_[at(kind)];
  const bool known = std::any_of(calls.begin(), calls.end(), [&](const TransferCost& call) {
    return call.algorithm == cost.algorithm && call.load == cost.load;
  });
  if (!known) calls.push_back(cost);
}

void PlanGroups::add_pair(GroupKind kind, int from, int to) {
  if (simulated(to) == kNone) return;
  const auto id = static_cast<std::uint32_t>(plan_.groups.size());
  const std::vector<TransferCost>& calls = calls_[at(kind)];
  Group group;
  group.members = {simulated(from), simulated(to)};
  group.links = links_.of_way(context_.placement.gpu(from), context_.placement.gpu(to),
                              calls.empty() ? 1 : calls.front().sms);
  plan_.groups.push_back(std::move(group));
  const GroupKind other = row_of(kind).partner;
  plan_.ranks[simulated(from)].groups[at(kind)] = id;
  plan_.ranks[simulated(to)].groups[at(other)] = id;
}

void PlanGroups::add_world() {
  Group world;
  for (std::uint32_t i = 0; i < plan_.ranks.size(); ++i) {
    world.members.push_back(i);
    plan_.ranks[i].groups[at(GroupKind::world)] = static_cast<std::uint32_t>(plan_.groups.size());
  }
  plan_.groups.push_back(std::move(world));
}

/// A plan knows only the links that its groups load, numbered anew in their order.
void PlanGroups::number_links() {
  std::vector<int>& used = plan_.cluster_links;
  const auto for_each_use = [&](auto visit) {
    for (Group& group : plan_.groups) {
      for (LinkShare& use : group.links) visit(use);
      for (LinkSet& set : group.link_sets) {
        for (LinkShare& use : set.links) visit(use);
      }
    }
  };
  for_each_use([&](const LinkShare& use) { used.push_back(use.link); });
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for_each_use([&](LinkShare& use) {
    use.link =
        static_cast<int>(std::lower_bound(used.begin(), used.end(), use.link) - used.begin());
  });
  const std::vector<double>& capacities = context_.cluster.capacities();
  plan_.link_capacities.reserve(used.size());
  plan_.between_switches.reserve(used.size());
  for (const int link : used) {
    plan_.link_capacities.push_back(capacities[static_cast<std::size_t>(link)]);
    plan_.between_switches.push_back(context_.cluster.owners().shared(link));
  }
}

}  // namespace simtrain
