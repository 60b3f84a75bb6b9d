#include "sim/run/shared/link_ledger.h"

#include <algorithm>
#include <numeric>

#include "sim/run/engine/stretch_flows.h"

namespace simtrain {

LinkLedger::LinkLedger(const Plan& plan, const std::vector<std::uint32_t>& job_of_rank,
                       std::uint32_t jobs)
    : jobs_(jobs), links_(plan.link_capacities.size()) {
  const PlanBursts by_sums;
  const BurstRoutes routes(plan, by_sums);
  for (const std::vector<LinkShare>* route : routes.all()) {
    std::vector<Use>& uses = routes_.emplace_back();
    for (const LinkShare& use : *route)
      uses.push_back({static_cast<std::uint32_t>(use.link), use.share});
  }
  job_of_route_.push_back(0);
  for (const Group& group : plan.groups) {
    const std::uint32_t job = group.members.empty() ? 0 : job_of_rank[group.members.front()];
    job_of_route_.insert(job_of_route_.end(), 1 + group.link_sets.size(), job);
  }
  for (std::size_t link = 0; link < links_.size(); ++link) {
    links_[link].capacity = plan.link_capacities[link];
    links_[link].load.assign(jobs, 0);
  }
  begin();
}

/// Forgets what has been.
void LinkLedger::begin() {
  begun_ = now_;
  for (Link& link : links_) {
    link.moved.assign(jobs_, 0);
    link.held_up.assign(std::size_t{jobs_} * jobs_, 0);
    link.since = now_;
  }
  for (Flow& flow : flows_) flow.since = now_;
}

void LinkLedger::close() {
  for (Link& link : links_) bring_up(link);
  for (Flow& flow : flows_) note(flow);
}

void LinkLedger::bring_up(Link& link) const {
  const double seconds = to_seconds(now_ - link.since);
  link.since = now_;
  for (std::uint32_t job = 0; job < jobs_; ++job) link.moved[job] += link.load[job] * seconds;
}

void LinkLedger::load(const Flow& flow, double sign) {
  for (const Use& use : routes_[flow.route]) {
    Link& link = links_[use.link];
    bring_up(link);
    link.load[job_of_route_[flow.route]] += sign * use.share * flow.rate * flow.holding;
  }
}

/// Books the time since it was last looked at.
void LinkLedger::note(Flow& flow) {
  const double seconds = to_seconds(now_ - flow.since);
  flow.since = now_;
  if (!flow.moving || flow.lost <= 0) return;
  double* const held_up =
      &links_[flow.link].held_up[std::size_t{job_of_route_[flow.route]} * jobs_];
  for (std::uint32_t job = 0; job < jobs_; ++job) held_up[job] += flow.blame[job] * seconds;
}

void LinkLedger::moves(std::uint32_t id, std::uint32_t route, double rate, double free,
                       double holding) {
  if (id >= flows_.size()) flows_.resize(id + std::size_t{1});
  Flow& flow = flows_[id];
  note(flow);
  if (flow.moving) load(flow, -1);
  flow.route = route;
  flow.rate = rate;
  flow.holding = holding;
  flow.lost = std::max(0.0, 1 - rate / free) * holding;
  flow.moving = true;
  load(flow, 1);
  constexpr double kNoticed = 1e-9;  // beyond rounding
  if (flow.lost > kNoticed) {
    changed_.push_back(id);
  } else {
    flow.lost = 0;
  }
}

void LinkLedger::settled() {
  for (const std::uint32_t id : changed_) {
    if (flows_[id].moving && flows_[id].lost > 0) find_blame(flows_[id]);
  }
  changed_.clear();
}

/// The others on the link of its way that is asked for most, by what they carry there.
void LinkLedger::find_blame(Flow& flow) const {
  double most = -1;
  double own = 0;
  for (const Use& use : routes_[flow.route]) {
    const std::vector<double>& load = links_[use.link].load;
    const double asked = std::accumulate(load.begin(), load.end(), 0.0) / links_[use.link].capacity;
    if (asked <= most) continue;
    most = asked;
    flow.link = use.link;
    own = use.share * flow.rate * flow.holding;
  }
  flow.blame = links_[flow.link].load;
  double& of_own_job = flow.blame[job_of_route_[flow.route]];
  of_own_job = std::max(0.0, of_own_job - own);
  const double others = std::accumulate(flow.blame.begin(), flow.blame.end(), 0.0);
  if (others <= 0) {
    of_own_job = flow.lost;
    return;
  }
  for (double& share : flow.blame) share *= flow.lost / others;
}

void LinkLedger::ends(std::uint32_t id) {
  Flow& flow = flows_[id];
  if (!flow.moving) return;
  note(flow);
  load(flow, -1);
  flow.moving = false;
}

}  // namespace simtrain
