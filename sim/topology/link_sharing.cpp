#include "sim/topology/link_sharing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

/// Shares are counted in whole parts, so that their sums are exact in any order. 2^10 * 3^4 * 5 * 7
/// * 11 * 13 * 17 * 19 * 23: thirds, eighteenths and the like are whole. Three million flows that
/// take a link whole are counted before 63 bits are full.
constexpr std::int64_t kParts = 3'084'035'834'880;

double whole(std::int64_t parts) {
  return static_cast<double>(parts) / static_cast<double>(kParts);
}

struct LinkState {
  double left = 0;           ///< capacity not yet given away
  std::int64_t rising = 0;   ///< parts that the flows which still rise take
  std::int64_t stopped = 0;  ///< the same of the flows that stop in this round

  /// The rate at which the rising flows fill the link.
  [[nodiscard]] double level() const {
    return rising > 0 ? left / whole(rising) : std::numeric_limits<double>::infinity();
  }
};

struct Use {
  std::size_t link;  ///< in Problem::links
  std::int64_t parts;
};

struct Problem {
  std::vector<LinkState> links;        ///< those that any flow uses, by id
  std::vector<std::vector<Use>> uses;  ///< by flow
};

Problem count_shares(const std::vector<double>& capacities, const std::vector<SharedFlow>& flows) {
  std::vector<int> ids;
  for (const SharedFlow& flow : flows) {
    for (const LinkShare& use : *flow.links) ids.push_back(use.link);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());

  Problem problem{std::vector<LinkState>(ids.size()), std::vector<std::vector<Use>>(flows.size())};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    problem.links[i].left = capacities[static_cast<std::size_t>(ids[i])];
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (const LinkShare& use : *flows[i].links) {
      const auto place = std::lower_bound(ids.begin(), ids.end(), use.link) - ids.begin();
      const auto link = static_cast<std::size_t>(place);
      const std::int64_t parts = std::llround(use.share * static_cast<double>(kParts));
      problem.uses[i].push_back({link, parts});
      problem.links[link].rising += parts;
    }
  }
  return problem;
}

}  // namespace

std::vector<double> share_links(const std::vector<double>& capacities,
                                const std::vector<SharedFlow>& flows) {
  Problem problem = count_shares(capacities, flows);
  std::vector<double> rates(flows.size(), 0);
  std::vector<std::size_t> rising(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) rising[i] = i;
  while (!rising.empty()) {
    double level = std::numeric_limits<double>::infinity();
    for (const std::size_t i : rising) level = std::min(level, flows[i].limit);
    for (const LinkState& link : problem.links) level = std::min(level, link.level());

    const auto stops = [&](std::size_t i) {
      const auto full = [&](const Use& use) { return problem.links[use.link].level() <= level; };
      return flows[i].limit <= level ||
             std::any_of(problem.uses[i].begin(), problem.uses[i].end(), full);
    };
    const auto stopping = std::stable_partition(rising.begin(), rising.end(),
                                                [&](std::size_t i) { return !stops(i); });
    invariant(stopping != rising.end(), "a flow stops in each round of filling");
    for (auto i = stopping; i != rising.end(); ++i) {
      rates[*i] = level;
      for (const Use& use : problem.uses[*i]) problem.links[use.link].stopped += use.parts;
    }
    rising.erase(stopping, rising.end());
    for (LinkState& link : problem.links) {
      link.left = std::max(0.0, link.left - level * whole(link.stopped));
      link.rising -= link.stopped;
      link.stopped = 0;
    }
  }
  return rates;
}

}  // namespace simtrain
