#include <algorithm>
#include <cstddef>
#include <map>

#include "sim/workload/plan/folding/plan_classes.h"

namespace simtrain {
namespace {

/// What all groups of each class together take of the first link of each class.
void add_class_links(const Plan& all, const PlanClasses& classes, Plan& plan) {
  const std::vector<std::uint32_t> first = first_of_each(classes.links);
  // By group class, link set and link class.
  std::vector<std::vector<std::map<int, std::int64_t>>> parts(plan.groups.size());
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    parts[i].resize(1 + plan.groups[i].link_sets.size());
  for (std::size_t i = 0; i < all.groups.size(); ++i) {
    auto& of_class = parts[classes.groups[i]];
    for (std::size_t set = 0; set < of_class.size(); ++set) {
      for (const LinkShare& use : all.groups[i].links_at(set)) {
        const auto link = static_cast<std::uint32_t>(use.link);
        const std::uint32_t own = classes.links[link];
        if (first[own] == link) of_class[set][static_cast<int>(own)] += parts_of(use.share);
      }
    }
  }
  const auto whole = static_cast<double>(parts_of(1));
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    for (std::size_t set = 0; set < parts[i].size(); ++set) {
      Group& group = plan.groups[i];
      std::vector<LinkShare>& links = set == 0 ? group.links : group.link_sets[set - 1].links;
      links.clear();
      for (const auto& [link, taken] : parts[i][set])
        links.push_back({link, static_cast<double>(taken) / whole});
    }
  }
}

}  // namespace

std::vector<std::uint32_t> first_of_each(const std::vector<std::uint32_t>& classes) {
  std::vector<std::uint32_t> first;
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    if (classes[i] == first.size()) first.push_back(i);
  }
  return first;
}

Plan folded(const Plan& plan, const PlanClasses& classes) {
  Plan fold;
  fold.programs = plan.programs;
  fold.sm_count = plan.sm_count;
  fold.memory_bandwidth = plan.memory_bandwidth;
  fold.overlap_slowdown = plan.overlap_slowdown;
  for (const std::uint32_t rank : first_of_each(classes.ranks)) {
    SimulatedRank& own = fold.ranks.emplace_back(plan.ranks[rank]);
    for (std::uint32_t& group : own.groups) group = classes.groups[group];
  }
  for (const std::uint32_t group : first_of_each(classes.groups)) {
    Group& own = fold.groups.emplace_back(plan.groups[group]);
    own.inner.clear();
    for (std::uint32_t& member : own.members) member = classes.ranks[member];
    std::sort(own.members.begin(), own.members.end());
    own.members.erase(std::unique(own.members.begin(), own.members.end()), own.members.end());
  }
  for (const std::uint32_t link : first_of_each(classes.links)) {
    fold.link_capacities.push_back(plan.link_capacities[link]);
    fold.cluster_links.push_back(plan.cluster_links[link]);
    fold.between_switches.push_back(plan.between_switches[link]);
  }
  add_class_links(plan, classes, fold);
  return fold;
}

}  // namespace simtrain
