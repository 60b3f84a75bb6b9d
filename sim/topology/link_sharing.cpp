#include "sim/topology/link_sharing.h"

#include <algorithm>
#include <limits>
#include <map>

namespace simtrain {
namespace {

struct LinkState {
  double left = 0;     ///< capacity not yet given away
  double rising = 0;   ///< sum of the shares of the flows that still rise
  double stopped = 0;  ///< the same of the flows that stop in this round
};

}  // namespace

std::vector<double> share_links(const std::vector<double>& capacities,
                                const std::vector<SharedFlow>& flows) {
  std::map<int, LinkState> links;
  for (const SharedFlow& flow : flows) {
    for (const LinkShare& use : *flow.links) {
      LinkState& link = links[use.link];
      link.left = capacities[static_cast<std::size_t>(use.link)];
      link.rising += use.share;
    }
  }
  std::vector<double> rates(flows.size(), 0);
  std::vector<bool> rises(flows.size(), true);
  std::size_t rising = flows.size();
  while (rising > 0) {
    double level = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (rises[i]) level = std::min(level, flows[i].limit);
    }
    for (const auto& [id, link] : links) {
      if (link.rising > 0) level = std::min(level, link.left / link.rising);
    }
    for (auto& [id, link] : links) link.stopped = 0;
    std::vector<std::size_t> stopping;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!rises[i]) continue;
      const auto full = [&](const LinkShare& use) {
        const LinkState& link = links.at(use.link);
        return link.left / link.rising <= level;
      };
      const auto& uses = *flows[i].links;
      if (flows[i].limit <= level || std::any_of(uses.begin(), uses.end(), full))
        stopping.push_back(i);
    }
    for (const std::size_t i : stopping) {
      rates[i] = level;
      rises[i] = false;
      for (const LinkShare& use : *flows[i].links) links.at(use.link).stopped += use.share;
    }
    rising -= stopping.size();
    for (auto& [id, link] : links) {
      link.left = std::max(0.0, link.left - level * link.stopped);
      link.rising -= link.stopped;
      if (link.rising < 1e-12) link.rising = 0;
    }
  }
  return rates;
}

}  // namespace simtrain
