#include "sim/run/engine/flow_network.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>
#include <utility>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

using Links = std::vector<LinkShare>;

/// By link id, a number that links have in common which all routes take alike: each route splits
/// the classes of its links into those of equal share.
std::vector<std::uint32_t> alike(std::size_t links, const std::vector<const Links*>& routes,
                                 std::uint32_t& classes) {
  std::vector<std::uint32_t> class_of(links, 0);
  classes = 1;
  std::vector<std::tuple<std::uint32_t, double, int>> uses;  // class, share, link
  for (const Links* route : routes) {
    uses.clear();
    for (const LinkShare& use : *route)
      uses.emplace_back(class_of[static_cast<std::size_t>(use.link)], use.share, use.link);
    std::sort(uses.begin(), uses.end());
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const auto& [old, share, link] = uses[i];
      invariant(i == 0 || uses[i - 1] != uses[i], "a route takes each of its links once");
      const bool same =
          i > 0 && std::get<0>(uses[i - 1]) == old && std::get<1>(uses[i - 1]) == share;
      if (!same) ++classes;
      class_of[static_cast<std::size_t>(link)] = classes - 1;
    }
  }
  return class_of;
}

}  // namespace

FlowNetwork::FlowNetwork(const std::vector<double>& capacities,
                         const std::vector<const Links*>& routes)
    : sharing_({}) {
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t classes = 0;
  std::vector<std::uint32_t> merged = alike(capacities.size(), routes, classes);
  std::vector<std::uint32_t> number(classes, kNone);
  for (std::size_t link = 0; link < capacities.size(); ++link) {
    if (merged[link] == 0) continue;  // of no route
    std::uint32_t& known = number[merged[link]];
    if (known == kNone) {
      known = static_cast<std::uint32_t>(links_.size());
      links_.emplace_back().capacity = capacities[link];
    }
    links_[known].capacity = std::min(links_[known].capacity, capacities[link]);
    merged[link] = known;
  }
  std::vector<std::uint32_t> met(links_.size(), 0);
  routes_.reserve(routes.size());
  for (const Links* links : routes) add_route(*links, merged, met);
  std::vector<double> least;
  least.reserve(links_.size());
  for (const LinkState& link : links_) least.push_back(link.capacity);
  sharing_ = LinkSharing(std::move(least));
}

void FlowNetwork::add_route(const Links& links, const std::vector<std::uint32_t>& merged,
                            std::vector<std::uint32_t>& met) {
  Route& route = routes_.emplace_back();
  route.alone = std::numeric_limits<double>::infinity();
  for (const LinkShare& use : links) {
    const std::uint32_t link = merged[static_cast<std::size_t>(use.link)];
    if (std::exchange(met[link], static_cast<std::uint32_t>(routes_.size())) == routes_.size())
      continue;
    route.parts.push_back({link, parts_of(use.share)});
    route.shares.push_back(use.share);
    route.alone = std::min(route.alone, links_[link].capacity / use.share);
  }
}

/// A hair of slack, so that sums in different order agree on what is full.
bool FlowNetwork::overloaded(const LinkState& link) {
  return link.wanted > link.capacity * (1 + 1e-9);
}

FlowNetwork::TypeId FlowNetwork::type_of(const FlowType& type) {
  std::vector<TypeId>& known = routes_[type.route].types;
  const auto same =
      std::find_if(known.begin(), known.end(), [&](TypeId id) { return types_[id] == type; });
  if (same != known.end()) return *same;
  types_.push_back(type);
  return known.emplace_back(static_cast<TypeId>(types_.size() - 1));
}

FlowNetwork::FlowId FlowNetwork::add(RouteId route, double limit, std::uint32_t tag,
                                     const std::optional<Duty>& duty) {
  FlowId id = static_cast<FlowId>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  flows_[id] = {.type = type_of({route, limit, duty}), .route = route, .tag = tag};
  const Route& way = routes_[route];
  for (std::size_t i = 0; i < way.parts.size(); ++i) {
    LinkState& link = links_[way.parts[i].link];
    link.wanted += way.shares[i] * limit;
    if (duty) link.wanted_now_and_then += way.shares[i] * limit;
    link.flows.push_back(id);
    if (overloaded(link)) disturbed_.push_back(way.parts[i].link);
  }
  fresh_.push_back(id);
  return id;
}

void FlowNetwork::remove(FlowId id) {
  const FlowType& flow = type(id);
  const Route& way = routes_[flow.route];
  for (std::size_t i = 0; i < way.parts.size(); ++i) {
    LinkState& link = links_[way.parts[i].link];
    if (overloaded(link)) disturbed_.push_back(way.parts[i].link);
    link.wanted -= way.shares[i] * flow.limit;
    if (flow.duty) link.wanted_now_and_then -= way.shares[i] * flow.limit;
    const auto place = std::find(link.flows.begin(), link.flows.end(), id);
    *place = link.flows.back();
    link.flows.pop_back();
    if (link.flows.empty()) link.wanted = link.wanted_now_and_then = 0;
  }
  std::erase(fresh_, id);
  free_.push_back(id);
}

void FlowNetwork::set_rate(FlowId id, double rate) {
  Flow& flow = flows_[id];
  if (flow.rate == rate) return;
  flow.rate = rate;
  const FlowType& type = types_[flow.type];
  if (type.duty) flow.holding = type.duty->holding(type.limit / rate);
  changes_.push_back({flow.tag, rate});
}

void FlowNetwork::solve_around(FlowId first) {
  if (flows_[first].visited == round_) return;
  members_.assign(1, first);
  flows_[first].visited = round_;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (const LinkParts& use : way(members_[i]).parts) {
      LinkState& link = links_[use.link];
      if (link.visited == round_ || !overloaded(link)) continue;
      link.visited = round_;
      for (const FlowId other : link.flows) {
        if (std::exchange(flows_[other].visited, round_) != round_) members_.push_back(other);
      }
    }
  }
  if (members_.size() == 1) {
    set_rate(first, std::min(type(first).limit, way(first).alone));
    return;
  }
  look_up_members();
}

void FlowNetwork::look_up_members() {
  constexpr std::size_t kFewFlows = 64;
  constexpr std::size_t kMostSolved = 1U << 14U;
  if (members_.size() > kFewFlows) {
    solve_members();
    return;
  }
  key_.clear();
  for (const FlowId id : members_) key_.push_back(flows_[id].type);
  const auto known = solved_.find(key_);
  if (known != solved_.end()) {
    for (std::size_t i = 0; i < members_.size(); ++i) set_rate(members_[i], known->second[i]);
    return;
  }
  solve_members();
  if (solved_.size() == kMostSolved) return;
  std::vector<double>& rates = solved_[key_];
  for (const FlowId id : members_) rates.push_back(flows_[id].rate);
}

/// Of those of members_ that stay or come and go as `kind`, in their order.
const std::vector<double>& FlowNetwork::shared_rates(std::optional<std::uint32_t> kind) {
  sharing_.clear();
  for (const FlowId id : members_) {
    if (type(id).stays_or(kind)) sharing_.add(way(id).parts, type(id).limit);
  }
  return sharing_.rates();
}

void FlowNetwork::solve_members() {
  std::uint32_t kinds = 0;  // as bits
  for (const FlowId id : members_) {
    if (type(id).duty) kinds |= 1U << type(id).duty->kind;
  }
  if (kinds == 0) {
    const std::vector<double>& rates = shared_rates(std::nullopt);
    for (std::size_t i = 0; i < members_.size(); ++i) set_rate(members_[i], rates[i]);
    return;
  }
  solve_without();
  for (; kinds != 0; kinds &= kinds - 1)
    solve_with(static_cast<std::uint32_t>(std::countr_zero(kinds)));
  auto mean = means_.begin();
  for (const FlowId id : members_) {
    if (type(id).duty) continue;
    set_rate(id, mean->alone - mean->lost / std::max(1.0, mean->hindered));
    ++mean;
  }
}

/// Sets what the members that stay have without the others.
void FlowNetwork::solve_without() {
  means_.clear();
  const bool free = std::all_of(members_.begin(), members_.end(),
                                [this](FlowId id) { return type(id).duty || free_without(id); });
  if (!free) {
    for (const double rate : shared_rates(std::nullopt)) means_.push_back({rate, 0, 0});
    return;
  }
  for (const FlowId id : members_) {
    if (!type(id).duty) means_.push_back({std::min(type(id).limit, way(id).alone), 0, 0});
  }
}

bool FlowNetwork::free_without(FlowId id) const {
  const std::vector<LinkParts>& parts = way(id).parts;
  return std::all_of(parts.begin(), parts.end(), [this](const LinkParts& use) {
    const LinkState& link = links_[use.link];
    return link.wanted - link.wanted_now_and_then <= link.capacity * (1 + 1e-9);
  });
}

/// Sets the rates of members of one kind; notes what the others lose to them.
void FlowNetwork::solve_with(std::uint32_t kind) {
  const std::vector<double>& rates = shared_rates(kind);
  auto rate = rates.begin();
  for (const FlowId id : members_) {
    if (type(id).duty && type(id).duty->kind == kind) set_rate(id, *rate);
    if (type(id).stays_or(kind)) ++rate;
  }
  rate = rates.begin();
  auto mean = means_.begin();
  for (const FlowId id : members_) {
    if (!type(id).duty) {
      const double share = hindered(id, kind);
      mean->hindered += share;
      mean->lost += share * std::max(0.0, mean->alone - *rate);
      ++mean;
    }
    if (type(id).stays_or(kind)) ++rate;
  }
}

/// The share of time for which flows of a kind that comes and goes hold a full link of this one.
double FlowNetwork::hindered(FlowId id, std::uint32_t kind) const {
  double share = 0;
  for (const LinkParts& use : way(id).parts) {
    if (!overloaded(links_[use.link])) continue;
    for (const FlowId other : links_[use.link].flows) {
      if (type(other).duty && type(other).duty->kind == kind)
        share = std::max(share, flows_[other].holding);
    }
  }
  return share;
}

const std::vector<FlowNetwork::RateChange>& FlowNetwork::settle() {
  changes_.clear();
  if (fresh_.empty() && disturbed_.empty()) return changes_;
  ++round_;
  for (const std::uint32_t link : disturbed_) {
    if (links_[link].visited == round_) continue;
    for (std::size_t i = 0; i < links_[link].flows.size(); ++i) solve_around(links_[link].flows[i]);
  }
  for (const FlowId flow : fresh_) solve_around(flow);
  disturbed_.clear();
  fresh_.clear();
  return changes_;
}

}  // namespace simtrain
