#include "sim/run/flow_network.h"

#include <algorithm>
#include <utility>

namespace simtrain {

FlowNetwork::FlowNetwork(std::vector<double> capacities)
    : capacities_(std::move(capacities)), links_(capacities_.size()) {
  for (std::size_t i = 0; i < links_.size(); ++i) links_[i].capacity = capacities_[i];
}

/// A hair of slack, so that sums in different order agree on what is full.
bool FlowNetwork::overloaded(const LinkState& link) {
  return link.wanted > link.capacity * (1 + 1e-9);
}

void FlowNetwork::disturb(const Flow& flow) {
  for (const LinkShare& use : *flow.links) {
    if (overloaded(links_[static_cast<std::size_t>(use.link)])) disturbed_.push_back(use.link);
  }
}

FlowNetwork::FlowId FlowNetwork::add(const std::vector<LinkShare>& links, double limit,
                                     std::uint32_t tag) {
  FlowId id = static_cast<FlowId>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  flows_[id] = {&links, limit, -1, tag, 0};
  for (const LinkShare& use : links) {
    LinkState& link = links_[static_cast<std::size_t>(use.link)];
    link.wanted += use.share * limit;
    link.flows.push_back(id);
  }
  disturb(flows_[id]);
  fresh_.push_back(id);
  return id;
}

void FlowNetwork::remove(FlowId id) {
  Flow& flow = flows_[id];
  disturb(flow);
  for (const LinkShare& use : *flow.links) {
    LinkState& link = links_[static_cast<std::size_t>(use.link)];
    link.wanted -= use.share * flow.limit;
    const auto place = std::find(link.flows.begin(), link.flows.end(), id);
    *place = link.flows.back();
    link.flows.pop_back();
    if (link.flows.empty()) link.wanted = 0;
  }
  std::erase(fresh_, id);
  flow.links = nullptr;
  free_.push_back(id);
}

void FlowNetwork::set_rate(FlowId id, double rate) {
  if (flows_[id].rate == rate) return;
  flows_[id].rate = rate;
  changes_.push_back({flows_[id].tag, rate});
}

void FlowNetwork::solve_around(FlowId first) {
  if (flows_[first].visited == round_) return;
  std::vector<FlowId> members{first};
  flows_[first].visited = round_;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const LinkShare& use : *flows_[members[i]].links) {
      LinkState& link = links_[static_cast<std::size_t>(use.link)];
      if (link.visited == round_ || !overloaded(link)) continue;
      link.visited = round_;
      for (const FlowId other : link.flows) {
        if (std::exchange(flows_[other].visited, round_) != round_) members.push_back(other);
      }
    }
  }
  if (members.size() == 1) {
    const Flow& flow = flows_[first];
    double rate = flow.limit;
    for (const LinkShare& use : *flow.links) {
      rate = std::min(rate, links_[static_cast<std::size_t>(use.link)].capacity / use.share);
    }
    set_rate(first, rate);
    return;
  }
  std::vector<SharedFlow> flows;
  flows.reserve(members.size());
  for (const FlowId id : members) flows.push_back({flows_[id].links, flows_[id].limit});
  const std::vector<double> rates = share_links(capacities_, flows);
  for (std::size_t i = 0; i < members.size(); ++i) set_rate(members[i], rates[i]);
}

const std::vector<FlowNetwork::RateChange>& FlowNetwork::settle() {
  changes_.clear();
  if (fresh_.empty() && disturbed_.empty()) return changes_;
  ++round_;
  for (const int link : disturbed_) {
    for (std::size_t i = 0; i < links_[static_cast<std::size_t>(link)].flows.size(); ++i) {
      solve_around(links_[static_cast<std::size_t>(link)].flows[i]);
    }
  }
  for (const FlowId flow : fresh_) solve_around(flow);
  disturbed_.clear();
  fresh_.clear();
  return changes_;
}

}  // namespace simtrain
