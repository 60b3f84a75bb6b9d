#include "sim/topology/link_sharing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace simtrain {
namespace {

/// The parts of a whole link: 2^10 * 3^4 * 5 * 7 * 11 * 13 * 17 * 19 * 23, so that thirds,
/// eighteenths and the like are whole. Three million flows that take a link whole are counted
/// before 63 bits are full.
constexpr std::int64_t kParts = 3'084'035'834'880;

double whole(std::int64_t parts) {
  return static_cast<double>(parts) / static_cast<double>(kParts);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

std::int64_t parts_of(double share) { return std::llround(share * static_cast<double>(kParts)); }

void LinkSharing::clear() {
  links_.clear();
  flows_.clear();
}

void LinkSharing::clear_flows() {
  for (Link& link : links_) link.rising = link.flows = 0;
  flows_.clear();
}

std::uint32_t LinkSharing::add_link(double capacity) {
  links_.push_back({.capacity = capacity});
  return static_cast<std::uint32_t>(links_.size() - 1);
}

void LinkSharing::add(std::span<const LinkParts> uses, double limit) {
  for (const LinkParts& use : uses) {
    links_[use.link].rising += use.parts;
    ++links_[use.link].flows;
  }
  flows_.push_back({uses, limit});
}

void LinkSharing::Link::refill() { level = rising > 0 ? left / whole(rising) : kInfinity; }

/// Which flows take each link, and which flow stops first by its limit.
void LinkSharing::prepare() {
  live_.clear();
  std::uint32_t first = 0;
  for (std::uint32_t id = 0; id < links_.size(); ++id) {
    Link& link = links_[id];
    link.left = link.capacity;
    link.stopped = 0;
    link.refill();
    link.first = first;
    first += std::exchange(link.flows, 0);
    if (link.rising > 0) live_.push_back(id);
  }
  flows_of_.resize(first);
  by_limit_.resize(flows_.size());
  for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
    by_limit_[flow] = flow;
    for (const LinkParts& use : flows_[flow].uses) {
      Link& link = links_[use.link];
      flows_of_[link.first + link.flows++] = flow;
    }
  }
  std::sort(by_limit_.begin(), by_limit_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return flows_[a].limit < flows_[b].limit; });
  lowest_ = 0;
}

/// How far the rising flows rise before one of them stops.
double LinkSharing::next_level() const {
  double level = flows_[by_limit_[lowest_]].limit;
  for (const std::uint32_t id : live_) level = std::min(level, links_[id].level);
  return level;
}

void LinkSharing::stop(std::uint32_t id, double level) {
  Flow& flow = flows_[id];
  if (!std::exchange(flow.rising, false)) return;
  rates_[id] = level;
  for (const LinkParts& use : flow.uses) {
    Link& link = links_[use.link];
    if (link.stopped == 0) changed_.push_back(use.link);
    link.stopped += use.parts;
  }
}

/// Takes what stopped in this round from its links.
void LinkSharing::settle_round(double level) {
  for (const std::uint32_t id : changed_) {
    Link& link = links_[id];
    link.left = std::max(0.0, link.left - level * whole(link.stopped));
    link.rising -= std::exchange(link.stopped, 0);
    link.refill();
  }
  changed_.clear();
  std::erase_if(live_, [this](std::uint32_t id) { return links_[id].rising == 0; });
}

const std::vector<double>& LinkSharing::rates() {
  rates_.assign(flows_.size(), 0);
  prepare();
  while (true) {
    while (lowest_ < by_limit_.size() && !flows_[by_limit_[lowest_]].rising) ++lowest_;
    if (lowest_ == by_limit_.size()) return rates_;
    const double level = next_level();
    for (std::size_t i = lowest_; i < by_limit_.size(); ++i) {
      if (flows_[by_limit_[i]].limit > level) break;
      stop(by_limit_[i], level);
    }
    for (const std::uint32_t id : live_) {
      const Link& link = links_[id];
      if (link.level > level) continue;
      for (std::uint32_t i = 0; i < link.flows; ++i) stop(flows_of_[link.first + i], level);
    }
    settle_round(level);
  }
}

std::vector<double> share_links(const std::vector<double>& capacities,
                                const std::vector<SharedFlow>& flows) {
  std::vector<int> ids;
  std::size_t count = 0;
  for (const SharedFlow& flow : flows) {
    for (const LinkShare& use : *flow.links) ids.push_back(use.link);
    count += flow.links->size();
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  LinkSharing sharing;
  for (const int id : ids) sharing.add_link(capacities[static_cast<std::size_t>(id)]);
  std::vector<LinkParts> parts;
  parts.reserve(count);  // spans point into it
  for (const SharedFlow& flow : flows) {
    const std::size_t first = parts.size();
    for (const LinkShare& use : *flow.links) {
      const auto place = std::lower_bound(ids.begin(), ids.end(), use.link) - ids.begin();
      parts.push_back({static_cast<std::uint32_t>(place), parts_of(use.share)});
    }
    sharing.add(std::span(parts).subspan(first), flow.limit);
  }
  return sharing.rates();
}

}  // namespace simtrain
