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
                         const std::vector<const Links*>& routes, RateObserver* observer)
    : observer_(observer) {
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
  types_of_route_.resize(routes_.size());
  narrow_.assign(links_.size(), 0);
  held_.assign(links_.size(), 0);
}

void FlowNetwork::add_route(const Links& links, const std::vector<std::uint32_t>& merged,
                            std::vector<std::uint32_t>& met) {
  Route& route = routes_.emplace_back();
  route.first = static_cast<std::uint32_t>(uses_.size());
  route.alone = std::numeric_limits<double>::infinity();
  for (const LinkShare& use : links) {
    const std::uint32_t link = merged[static_cast<std::size_t>(use.link)];
    if (std::exchange(met[link], static_cast<std::uint32_t>(routes_.size())) == routes_.size())
      continue;
    uses_.push_back({link, use.share, parts_of(use.share)});
    route.alone = std::min(route.alone, links_[link].capacity / use.share);
  }
  route.count = static_cast<std::uint32_t>(uses_.size()) - route.first;
}

/// A hair of slack, so that sums in different order agree on what is full.
bool FlowNetwork::overloaded(const LinkState& link) {
  return link.wanted > link.capacity * (1 + 1e-9);
}

double FlowNetwork::limit_of(RouteId route, double rate) const {
  constexpr double kRounding = 1e-9;
  const double most = routes_[route].alone;
  return rate <= most * (1 + kRounding) ? std::min(rate, most) : rate;
}

FlowNetwork::TypeId FlowNetwork::type_of(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.type != kUntyped) return flow.type;
  FlowType type{flow.route, flow.limit};
  if (flow.comes_and_goes) type.duty = duties_[id];
  std::vector<TypeId>& known = types_of_route_[flow.route];
  const auto same = std::find_if(known.begin(), known.end(),
                                 [&](TypeId candidate) { return types_[candidate] == type; });
  if (same != known.end()) return flow.type = *same;
  types_.push_back(type);
  return flow.type = known.emplace_back(static_cast<TypeId>(types_.size() - 1));
}

FlowNetwork::FlowId FlowNetwork::add(RouteId route, double limit, std::uint32_t tag,
                                     const std::optional<Duty>& duty) {
  FlowId id = static_cast<FlowId>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
    duties_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  flows_[id] = {.limit = limit,
                .route = route,
                .tag = tag,
                .serial = flows_[id].serial,
                .comes_and_goes = duty.has_value()};
  if (duty) duties_[id] = *duty;
  for (const Use& use : way(route)) {
    LinkState& link = links_[use.link];
    link.wanted += use.share * limit;
    if (duty) link.wanted_now_and_then += use.share * limit;
    link.flows.push_back(id);
    if (overloaded(link)) disturbed_.push_back(use.link);
  }
  fresh_.push_back({id, flows_[id].serial});
  return id;
}

void FlowNetwork::remove(FlowId id) {
  Flow& flow = flows_[id];
  for (const Use& use : way(flow)) {
    LinkState& link = links_[use.link];
    if (overloaded(link)) disturbed_.push_back(use.link);
    link.wanted -= use.share * flow.limit;
    if (flow.comes_and_goes) link.wanted_now_and_then -= use.share * flow.limit;
    const auto place = std::find(link.flows.begin(), link.flows.end(), id);
    *place = link.flows.back();
    link.flows.pop_back();
    if (link.flows.empty()) link.wanted = link.wanted_now_and_then = 0;
  }
  ++flow.serial;
  free_.push_back(id);
  if (observer_ != nullptr) observer_->ends(id);
}

void FlowNetwork::set_rate(FlowId id, double rate) {
  Flow& flow = flows_[id];
  if (flow.rate == rate) return;
  flow.rate = rate;
  if (flow.comes_and_goes) flow.holding = duties_[id].holding(flow.limit / rate);
  changes_.push_back({flow.tag, rate});
  if (observer_ != nullptr)
    observer_->moves(id, flow.route, rate, std::min(flow.limit, routes_[flow.route].alone),
                     flow.comes_and_goes ? flow.holding : 1);
}

void FlowNetwork::solve_around(FlowId first) {
  if (flows_[first].visited == round_) return;
  members_.assign(1, first);
  crowded_.clear();
  flows_[first].visited = round_;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (const Use& use : way(flows_[members_[i]])) {
      LinkState& link = links_[use.link];
      if (link.visited == round_ || !overloaded(link)) continue;
      link.visited = round_;
      crowded_.push_back(use.link);
      for (const FlowId other : link.flows) {
        if (std::exchange(flows_[other].visited, round_) != round_) members_.push_back(other);
      }
    }
  }
  if (members_.size() == 1) {
    set_rate(first, std::min(flows_[first].limit, routes_[flows_[first].route].alone));
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
  for (const FlowId id : members_) key_.push_back(type_of(id));
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

/// The members' links that may bind, with numbers of their own. One that is asked for clearly less
/// than it has fills later than the first of its flows comes to its limit, in every round.
void FlowNetwork::gather_links() {
  constexpr double kClearlyLess = 0.999;
  for (const std::uint32_t link : numbered_) narrow_[link] = 0;
  numbered_.clear();
  narrow_parts_.clear();
  narrow_end_.clear();
  sharing_.clear();
  for (const FlowId id : members_) {
    for (const Use& use : way(flows_[id])) {
      const LinkState& link = links_[use.link];
      if (link.wanted < kClearlyLess * link.capacity) continue;
      std::uint32_t& number = narrow_[use.link];
      if (number == 0) {
        number = sharing_.add_link(link.capacity) + 1;
        numbered_.push_back(use.link);
      }
      narrow_parts_.push_back({number - 1, use.parts});
    }
    narrow_end_.push_back(static_cast<std::uint32_t>(narrow_parts_.size()));
  }
}

/// Of those of members_ that stay or come and go as `kind`, in their order.
const std::vector<double>& FlowNetwork::shared_rates(std::optional<std::uint32_t> kind) {
  sharing_.clear_flows();
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::uint32_t end = narrow_end_[i];
    if (stays_or(members_[i], kind))
      sharing_.add(std::span(narrow_parts_).subspan(first, end - first), flows_[members_[i]].limit);
    first = end;
  }
  return sharing_.rates();
}

void FlowNetwork::solve_members() {
  gather_links();
  std::uint32_t kinds = 0;  // as bits
  for (const FlowId id : members_) {
    if (flows_[id].comes_and_goes) kinds |= 1U << duties_[id].kind;
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
    if (flows_[id].comes_and_goes) continue;
    set_rate(id, mean->alone - mean->lost / std::max(1.0, mean->hindered));
    ++mean;
  }
}

/// Sets what the members that stay have without the others.
void FlowNetwork::solve_without() {
  means_.clear();
  const bool free = std::all_of(members_.begin(), members_.end(), [this](FlowId id) {
    return flows_[id].comes_and_goes || free_without(flows_[id]);
  });
  if (!free) {
    for (const double rate : shared_rates(std::nullopt)) means_.push_back({rate, 0, 0});
    return;
  }
  for (const FlowId id : members_) {
    const Flow& flow = flows_[id];
    if (!flow.comes_and_goes)
      means_.push_back({std::min(flow.limit, routes_[flow.route].alone), 0, 0});
  }
}

bool FlowNetwork::free_without(const Flow& flow) const {
  const std::span<const Use> uses = way(flow);
  return std::all_of(uses.begin(), uses.end(), [this](const Use& use) {
    const LinkState& link = links_[use.link];
    return link.wanted - link.wanted_now_and_then <= link.capacity * (1 + 1e-9);
  });
}

/// Sets the rates of members of one kind; notes what the others lose to them.
void FlowNetwork::solve_with(std::uint32_t kind) {
  const std::vector<double>& rates = shared_rates(kind);
  auto rate = rates.begin();
  for (const FlowId id : members_) {
    if (flows_[id].comes_and_goes && duties_[id].kind == kind) set_rate(id, *rate);
    if (stays_or(id, kind)) ++rate;
  }
  note_holding(kind);
  rate = rates.begin();
  auto mean = means_.begin();
  for (const FlowId id : members_) {
    if (!flows_[id].comes_and_goes) {
      const double share = hindered(flows_[id]);
      mean->hindered += share;
      mean->lost += share * std::max(0.0, mean->alone - *rate);
      ++mean;
    }
    if (stays_or(id, kind)) ++rate;
  }
}

/// By overloaded link of the members: the longest share of time for which a flow of a kind that
/// comes and goes holds it.
void FlowNetwork::note_holding(std::uint32_t kind) {
  for (const std::uint32_t link : crowded_) held_[link] = 0;
  for (const FlowId id : members_) {
    if (!flows_[id].comes_and_goes || duties_[id].kind != kind) continue;
    for (const Use& use : way(flows_[id])) {
      if (crowded(use)) held_[use.link] = std::max(held_[use.link], flows_[id].holding);
    }
  }
}

/// The share of time for which flows of the kind last noted hold a full link of this one.
double FlowNetwork::hindered(const Flow& flow) const {
  double share = 0;
  for (const Use& use : way(flow)) {
    if (crowded(use)) share = std::max(share, held_[use.link]);
  }
  return share;
}

void FlowNetwork::describe(const std::vector<FlowId>& flows, StateWords& words) const {
  std::vector<std::uint32_t> number(flows_.size(), 0);
  for (std::uint32_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows_[flows[i]];
    number[flows[i]] = i;
    words.add(flow.route);
    words.add(flow.limit);
    words.add(flow.rate);
    words.add(flow.holding);
  }
  for (const LinkState& link : links_) {
    words.add(link.wanted);
    words.add(link.wanted_now_and_then);
    words.add(link.flows.size());
    for (const FlowId id : link.flows) words.add(number[id]);
  }
}

const std::vector<FlowNetwork::RateChange>& FlowNetwork::settle() {
  changes_.clear();
  if (fresh_.empty() && disturbed_.empty()) return changes_;
  ++round_;
  for (const std::uint32_t link : disturbed_) {
    if (links_[link].visited == round_) continue;
    for (std::size_t i = 0; i < links_[link].flows.size(); ++i) solve_around(links_[link].flows[i]);
  }
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    constexpr std::size_t kAhead = 4;
    if (i + kAhead < fresh_.size()) fetch(fresh_[i + kAhead].flow);
    if (flows_[fresh_[i].flow].serial == fresh_[i].serial) solve_around(fresh_[i].flow);
  }
  disturbed_.clear();
  fresh_.clear();
  if (observer_ != nullptr) observer_->settled();
  return changes_;
}

}  // namespace simtrain
