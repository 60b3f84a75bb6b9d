#include "sim/run/engine/stretch_flows.h"

#include <algorithm>
#include <set>

namespace simtrain {
namespace {

/// A number of `all`, used again or new.
template <class T>
std::uint32_t number_in(std::vector<T>& all, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    all.emplace_back();
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  const std::uint32_t number = free.back();
  free.pop_back();
  return number;
}

std::set<double> loads_of(const PlanBursts& programs) {
  std::set<double> loads;
  for (const std::vector<Bursts>& program : programs) {
    for (const Bursts& stretch : program) {
      for (const Burst& burst : stretch.all) loads.insert(burst.load);
    }
  }
  return loads;
}

}  // namespace

BurstRoutes::BurstRoutes(const Plan& plan, const PlanBursts& bursts)
    : plan_(plan), routes_{&no_links_} {
  for (const Group& group : plan.groups) {
    first_.push_back(static_cast<FlowNetwork::RouteId>(routes_.size()));
    routes_.push_back(&group.links);
    for (const LinkSet& set : group.link_sets) routes_.push_back(&set.links);
  }
  for (const double load : loads_of(bursts)) {
    for (const Group& group : plan.groups) {
      for (const InnerFlow& flow : group.inner) add_scaled(flow, load);
    }
  }
  for (const std::vector<LinkShare>& links : links_) routes_.push_back(&links);
}

void BurstRoutes::add_scaled(const InnerFlow& flow, double load) {
  const FlowNetwork::RouteId plain = of(flow, 1);
  const auto next = static_cast<FlowNetwork::RouteId>(routes_.size() + links_.size());
  if (load == 1 || !scaled_.try_emplace({plain, load}, next).second) return;
  std::vector<LinkShare>& links =
      links_.emplace_back(plan_.groups[flow.group].links_at(flow.link_set));
  for (LinkShare& use : links) use.share *= load;
}

FlowNetwork::RouteId BurstRoutes::of(const InnerFlow& flow, double load) const {
  const auto plain = first_[flow.group] + static_cast<FlowNetwork::RouteId>(flow.link_set);
  return load == 1 ? plain : scaled_.at({plain, load});
}

void StretchFlows::restart(const BurstRoutes& routes) {
  routes_ = &routes;
  stretches_.clear();
  free_stretches_.clear();
  flows_.clear();
  free_flows_.clear();
  queue_ = {};
}

std::uint32_t StretchFlows::begin(std::uint32_t activity, const Bursts& bursts,
                                  const Group& group) {
  const std::uint32_t stretch = number_in(stretches_, free_stretches_);
  stretches_[stretch] = {activity, &group, BurstRun(bursts),
                         std::vector<std::uint32_t>(bursts.all.size(), 0)};
  return stretch;
}

void StretchFlows::reach(std::uint32_t stretch, Duration now) {
  started_.clear();
  stretches_[stretch].progress.reach(started_);
  start_all(stretch, now);
}

/// All of started_. One of a kind that meets nobody ends with the stretch's own time.
void StretchFlows::start_all(std::uint32_t stretch, Duration now) {
  Stretch& run = stretches_[stretch];
  for (std::size_t i = 0; i < started_.size(); ++i) {
    const std::uint32_t burst = started_[i];
    for (const InnerFlow& inner : run.group->inner) {
      if (inner.kind == run.progress.bursts().all[burst].kind) start(stretch, burst, inner, now);
    }
    if (run.moving[burst] == 0) run.progress.end(burst, started_);
  }
}

void StretchFlows::start(std::uint32_t stretch, std::uint32_t burst, const InnerFlow& inner,
                         Duration now) {
  Stretch& run = stretches_[stretch];
  const Burst& transfer = run.progress.bursts().all[burst];
  const FlowNetwork::RouteId route = routes_->of(inner, transfer.load);
  const double limit = network_.limit_of(route, transfer.limit);
  const std::uint32_t flow = number_in(flows_, free_flows_);
  flows_[flow] = {network_.add(route, limit, kTag | flow),
                  stretch,
                  burst,
                  now + transfer.latency,
                  transfer.wire,
                  0};
  ++run.moving[burst];
}

void StretchFlows::describe(std::uint32_t stretch, StateWords& words) const {
  stretches_[stretch].progress.describe(words);
  for (const std::uint32_t moving : stretches_[stretch].moving) words.add(moving);
}

/// In the order in which they end.
void StretchFlows::describe(const std::vector<std::uint32_t>& number, Duration now,
                            StateWords& words, std::vector<FlowNetwork::FlowId>& flows) const {
  queue_.for_each_in_order([&](std::uint32_t moving, Duration ends) {
    const Flow& flow = flows_[moving];
    words.add(number[stretches_[flow.stretch].activity]);
    words.add(flow.burst);
    words.add(ends - now);
    words.add(now - flow.updated);
    words.add(flow.left);
    words.add(flow.rate);
    flows.push_back(flow.id);
  });
}

void StretchFlows::shift(Duration by) {
  for (Flow& flow : flows_) flow.updated += by;
  queue_.shift(by);
}

const std::vector<std::uint32_t>& StretchFlows::finish_due(Duration now) {
  resumed_.clear();
  while (next_time() == now) finish(queue_.pop(), now);
  return resumed_;
}

void StretchFlows::finish(std::uint32_t flow, Duration now) {
  const Flow ended = flows_[flow];
  network_.remove(ended.id);
  free_flows_.push_back(flow);
  Stretch& run = stretches_[ended.stretch];
  if (--run.moving[ended.burst] > 0) return;
  const bool stalled = run.progress.stalled();
  started_.clear();
  run.progress.end(ended.burst, started_);
  start_all(ended.stretch, now);
  if (stalled && !run.progress.stalled()) resumed_.push_back(run.activity);
}

void StretchFlows::take(const FlowNetwork::RateChange& change, Duration now) {
  const std::uint32_t number = change.tag & ~kTag;
  Flow& flow = flows_[number];
  if (now > flow.updated) {
    flow.left = std::max(0.0, flow.left - flow.rate * to_seconds(now - flow.updated));
    flow.updated = now;
  }
  flow.rate = change.rate;
  queue_.schedule(number, flow.updated + to_duration(flow.left / flow.rate));
}

}  // namespace simtrain
