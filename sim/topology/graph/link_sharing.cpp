#include "sim/topology/graph/link_sharing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/core/invariant.h"

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

LinkSharing::LinkSharing(std::vector<double> capacities)
    : capacities_(std::move(capacities)), links_(capacities_.size()) {}

void LinkSharing::clear() {
  for (const std::uint32_t link : used_) links_[link].used = false;
  used_.clear();
  flows_.clear();
}

void LinkSharing::add(std::span<const LinkParts> uses, double limit) {
  for (const LinkParts& use : uses) {
    Link& link = links_[use.link];
    if (!link.used) {
      link = {capacities_[use.link], 0, 0, 0, true};
      used_.push_back(use.link);
    }
    link.rising += use.parts;
  }
  flows_.push_back({uses, limit});
}

/// How far the rising flows rise before one of them stops.
double LinkSharing::next_level() {
  double level = kInfinity;
  for (const std::uint32_t flow : rising_) level = std::min(level, flows_[flow].limit);
  for (const std::uint32_t id : used_) {
    Link& link = links_[id];
    link.level = link.rising > 0 ? link.left / whole(link.rising) : kInfinity;
    level = std::min(level, link.level);
  }
  return level;
}

bool LinkSharing::stops(const Flow& flow, double level) const {
  return flow.limit <= level ||
         std::any_of(flow.uses.begin(), flow.uses.end(),
                     [&](const LinkParts& use) { return links_[use.link].level <= level; });
}

const std::vector<double>& LinkSharing::rates() {
  rates_.assign(flows_.size(), 0);
  rising_.resize(flows_.size());
  for (std::uint32_t i = 0; i < rising_.size(); ++i) rising_[i] = i;
  while (!rising_.empty()) {
    const double level = next_level();
    stopping_.clear();
    std::erase_if(rising_, [&](std::uint32_t flow) {
      if (!stops(flows_[flow], level)) return false;
      stopping_.push_back(flow);
      return true;
    });
    invariant(!stopping_.empty(), "a flow stops in each round of filling");
    for (const std::uint32_t flow : stopping_) {
      rates_[flow] = level;
      for (const LinkParts& use : flows_[flow].uses) links_[use.link].stopped += use.parts;
    }
    if (rising_.empty()) break;
    for (const std::uint32_t id : used_) {
      Link& link = links_[id];
      link.left = std::max(0.0, link.left - level * whole(link.stopped));
      link.rising -= link.stopped;
      link.stopped = 0;
    }
  }
  return rates_;
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
  std::vector<double> used;
  used.reserve(ids.size());
  for (const int id : ids) used.push_back(capacities[static_cast<std::size_t>(id)]);
  std::vector<LinkParts> parts;
  parts.reserve(count);  // spans point into it
  LinkSharing sharing(std::move(used));
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
