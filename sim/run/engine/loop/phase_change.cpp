// What the event loop does where the plan of another phase takes the place of the one it runs.
#include "sim/core/invariant.h"
#include "sim/run/engine/loop/event_loop.h"

namespace simtrain::execution {

/// Every op that runs goes on by what the next phase makes of it: work that is left takes as long
/// as this part of the op does then, transfers that move share its links. All flows are begun anew,
/// on its routes. The transfers inside a stretch that is running count by their sums from here on.
void Executor::change_phase() {
  activities_.for_each_live([this](std::uint32_t id) {
    Activity& activity = activities_[id];
    if (!groups_.runs(activity)) return;
    const bool computes = activity.compute;
    const double all = computes ? to_seconds(activity.cost->time)
                                : static_cast<double>(activity.transfer->wire.value());
    phases_->cut(id, all > 0 ? left_now(activity) / all : 0);
    pass_flows_.end(activity.inner);
    activity.inner.clear();
  });
  const Plan& before = *plan_;
  phases_->advance();
  take_plan(phases_->current());
  activities_.for_each_live([&](std::uint32_t id) { go_on(id, before); });
}

void Executor::take_plan(const PlanPhase& phase) {
  const Plan& plan = *phase.plan;
  invariant(plan.ranks.size() == ranks_.size() && plan.groups.size() == plan_->groups.size(),
            "plans of one step have the same ranks and groups");
  plan_ = &plan;
  bursts_ = phase.bursts;
  link_programs();
  auto routes = std::make_unique<const BurstRoutes>(plan, *bursts_);
  network_ = FlowNetwork(plan.link_capacities, routes->all(), observer_);
  stretch_flows_.restart(*routes);
  routes_ = std::move(routes);
  groups_.change(plan, *routes_);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const StreamOrder& order = orders_[plan.ranks[rank].program];
    invariant(order.links.size() == timeline_.spans[rank].size(),
              "plans of one step have the same ops");
    ranks_[rank].take(order);
  }
}

double Executor::left_now(const Activity& activity) const {
  if (now_ <= activity.updated) return activity.left;
  return std::max(0.0, activity.left - activity.speed * to_seconds(now_ - activity.updated));
}

/// What is left becomes `times` as much, from now on; the speed is to be set anew.
void Executor::scale_left(Activity& activity, double times) {
  activity.left = left_now(activity) * times;
  activity.updated = std::max(activity.updated, now_);
  activity.speed = 0;
}

void Executor::go_on(std::uint32_t id, const Plan& before) {
  const Activity& activity = activities_[id];
  for (const Member& member : activity.members) {
    const Program& old = before.programs[before.ranks[member.rank].program];
    loads_.take_sms(member.rank,
                    sms_of(ranks_[member.rank].program(), member.op) - sms_of(old, member.op));
  }
  if (!groups_.runs(activity)) return;
  const Member& first = activity.members.front();
  const RankState& rank = ranks_[first.rank];
  const Op& op = rank.at(first.op);
  if (activity.compute) {
    go_on_computing(id, rank.program(), op);
  } else {
    go_on_moving(id, rank.program().transfers[op.cost]);
  }
}

void Executor::go_on_computing(std::uint32_t id, const Program& program, const Op& op) {
  Activity& activity = activities_[id];
  const ComputeCost& cost = program.compute_costs[op.cost];
  const double before = to_seconds(activity.cost->time);
  const double alone = to_seconds(cost.time);
  if (alone != before || activity.stretch != kNone)
    scale_left(activity, before > 0 ? alone / before : 0);
  activity.cost = &cost;
  activity.stretch = kNone;
  if (cost.traffic != kNoTraffic && activity.group != kNone)
    start_sums(id, plan_->ranks[activity.members.front().rank].program,
               plan_->groups[activity.group]);
  slow(id);
}

void Executor::go_on_moving(std::uint32_t id, const TransferCost& transfer) {
  Activity& activity = activities_[id];
  const auto before = static_cast<double>(activity.transfer->wire.value());
  const auto wire = static_cast<double>(transfer.wire.value());
  if (wire != before) scale_left(activity, before > 0 ? wire / before : 0);
  activity.transfer = &transfer;
  if (activity.flow != kNone)
    activity.flow = network_.add(groups_.route_of(activity.group, transfer), transfer.limit, id);
}

}  // namespace simtrain::execution
