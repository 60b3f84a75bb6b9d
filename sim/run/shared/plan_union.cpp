#include "sim/run/shared/plan_union.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sim/workload/plan/communicators/inner_flows.h"
#include "sim/workload/plan/folding/plan_classes.h"

namespace simtrain {
namespace {

constexpr std::uint32_t kGone = 0xffffffffU;

/// Appends a plan's links that are not known yet; by its link ids, those of the union.
std::vector<int> add_links(PlanUnion& all, const Plan& plan,
                           std::unordered_map<int, int>& of_cluster) {
  std::vector<int> ids;
  ids.reserve(plan.cluster_links.size());
  for (std::size_t link = 0; link < plan.cluster_links.size(); ++link) {
    const auto [known, fresh] = of_cluster.try_emplace(
        plan.cluster_links[link], static_cast<int>(all.plan.link_capacities.size()));
    if (fresh) {
      all.plan.cluster_links.push_back(plan.cluster_links[link]);
      all.plan.link_capacities.push_back(plan.link_capacities[link]);
      all.plan.between_switches.push_back(plan.between_switches[link]);
      all.link_copies.push_back(1);
    }
    ids.push_back(known->second);
  }
  return ids;
}

Plan empty_like(const Plan& plan) {
  Plan empty;
  empty.sm_count = plan.sm_count;
  empty.memory_bandwidth = plan.memory_bandwidth;
  empty.overlap_slowdown = plan.overlap_slowdown;
  return empty;
}

void renumber(std::vector<LinkShare>& links, const std::vector<int>& ids) {
  for (LinkShare& use : links) use.link = ids[static_cast<std::size_t>(use.link)];
}

}  // namespace

PlanUnion united(const std::vector<const Plan*>& plans) {
  PlanUnion all;
  all.plan = empty_like(*plans.front());
  std::unordered_map<int, int> of_cluster;  // ids of the union; only looked up
  for (const Plan* plan : plans) {
    const auto program = static_cast<std::uint32_t>(all.plan.programs.size());
    const auto rank = static_cast<std::uint32_t>(all.plan.ranks.size());
    const auto first = static_cast<std::uint32_t>(all.plan.groups.size());
    const std::vector<int> ids = add_links(all, *plan, of_cluster);
    all.plan.programs.insert(all.plan.programs.end(), plan->programs.begin(), plan->programs.end());
    for (SimulatedRank own : plan->ranks) {
      own.program += program;
      for (std::uint32_t& group : own.groups) group += first;
      all.plan.ranks.push_back(own);
      all.job_of_rank.push_back(all.jobs);
    }
    for (Group own : plan->groups) {
      for (std::uint32_t& member : own.members) member += rank;
      renumber(own.links, ids);
      for (LinkSet& set : own.link_sets) renumber(set.links, ids);
      own.inner.clear();
      all.plan.groups.push_back(std::move(own));
    }
    ++all.jobs;
  }
  return all;
}

PlanUnion folded(const PlanUnion& all) {
  const PlanClasses classes = plan_classes(all.plan, all.job_of_rank);
  PlanUnion fold;
  fold.jobs = all.jobs;
  fold.plan = folded(all.plan, classes);
  for (const std::uint32_t rank : first_of_each(classes.ranks))
    fold.job_of_rank.push_back(all.job_of_rank[rank]);
  fold.link_copies.assign(fold.plan.link_capacities.size(), 0);
  for (std::size_t link = 0; link < classes.links.size(); ++link)
    fold.link_copies[classes.links[link]] += all.link_copies[link];
  return fold;
}

PlanUnion only(const PlanUnion& all, const std::vector<std::uint32_t>& jobs) {
  PlanUnion some;
  some.plan = empty_like(all.plan);
  some.plan.programs = all.plan.programs;
  some.plan.link_capacities = all.plan.link_capacities;
  some.plan.cluster_links = all.plan.cluster_links;
  some.plan.between_switches = all.plan.between_switches;
  some.link_copies = all.link_copies;
  std::vector<std::uint32_t> number(all.plan.ranks.size(), kGone);
  for (const std::uint32_t job : jobs) {
    for (std::uint32_t rank = 0; rank < all.plan.ranks.size(); ++rank) {
      if (all.job_of_rank[rank] != job) continue;
      number[rank] = static_cast<std::uint32_t>(some.plan.ranks.size());
      some.plan.ranks.push_back(all.plan.ranks[rank]);
      some.job_of_rank.push_back(some.jobs);
    }
    ++some.jobs;
  }
  std::vector<std::uint32_t> group_number(all.plan.groups.size(), 0);
  for (std::uint32_t i = 0; i < all.plan.groups.size(); ++i) {
    const Group& group = all.plan.groups[i];
    if (group.members.empty() || number[group.members.front()] == kGone) continue;
    group_number[i] = static_cast<std::uint32_t>(some.plan.groups.size());
    Group& own = some.plan.groups.emplace_back(group);
    for (std::uint32_t& member : own.members) member = number[member];
  }
  for (SimulatedRank& rank : some.plan.ranks) {
    for (std::uint32_t& group : rank.groups) group = group_number[group];
  }
  add_inner_flows(some.plan, calls_of(some.plan.programs));
  return some;
}

namespace {

/// Of one job's calls, by what they take: the group, its link set, and the stream, of which a rank
/// runs one op at a time, or the kind of transfers inside passes.
using Asker = std::tuple<std::uint32_t, std::size_t, int>;

void note(std::map<Asker, double>& most, const Asker& asker, double rate) {
  double& known = most[asker];
  known = std::max(known, rate);
}

std::map<Asker, double> most_by_asker(const Plan& plan) {
  std::map<Asker, double> most;
  for (const SimulatedRank& rank : plan.ranks) {
    const Program& program = plan.programs[rank.program];
    const auto route = [&](GroupKind kind, const TransferCost& call) {
      const std::uint32_t group = rank.groups[static_cast<std::size_t>(kind)];
      return std::pair{group, plan.groups[group].set_of(call)};
    };
    std::vector<std::array<bool, kStreams>> noted(program.transfers.size());
    for (const Op& op : program.ops) {
      const auto stream = static_cast<std::size_t>(op.stream);
      if (op.compute || op.group == GroupKind::self || std::exchange(noted[op.cost][stream], true))
        continue;
      const TransferCost& call = program.transfers[op.cost];
      const auto [group, set] = route(op.group, call);
      if (call.wire.value() > 0) note(most, {group, set, static_cast<int>(stream)}, call.limit);
    }
    for (const PassTraffic& traffic : program.inner) {
      for (std::size_t kind = 0; kind < traffic.size(); ++kind) {
        if (traffic[kind].rate() <= 0) continue;
        const auto [group, set] = route(inner_kinds()[kind], traffic[kind].call);
        note(most, {group, set, -1}, traffic[kind].rate());
      }
    }
  }
  return most;
}

}  // namespace

std::vector<std::vector<double>> most_asked(const PlanUnion& all) {
  std::vector<std::vector<double>> asked(all.jobs,
                                         std::vector<double>(all.plan.link_capacities.size(), 0));
  for (const auto& [asker, limit] : most_by_asker(all.plan)) {
    const auto& [group, set, stream] = asker;
    const std::vector<LinkShare>& links = all.plan.groups[group].links_at(set);
    double rate = limit;
    for (const LinkShare& use : links)
      rate =
          std::min(rate, all.plan.link_capacities[static_cast<std::size_t>(use.link)] / use.share);
    std::vector<double>& of_job = asked[all.job_of_rank[all.plan.groups[group].members.front()]];
    for (const LinkShare& use : links)
      of_job[static_cast<std::size_t>(use.link)] += use.share * rate;
  }
  return asked;
}

}  // namespace simtrain
