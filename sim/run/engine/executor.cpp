#include "sim/run/engine/executor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/core/event_queue.h"
#include "sim/core/input/input_error.h"
#include "sim/core/invariant.h"
#include "sim/run/engine/blocked_report.h"
#include "sim/run/engine/executor_state.h"
#include "sim/run/engine/pass_flows.h"

namespace simtrain {
namespace {

using execution::Activity;
using execution::GroupState;
using execution::kNone;
using execution::Member;
using execution::RankState;

/// A transfer may hold at most this part of a GPU's SMs or memory bandwidth.
constexpr double kLargestShare = 0.5;

/// The links of every group, in the order of GroupState::first_route; before them none.
std::vector<const std::vector<LinkShare>*> routes_of(const Plan& plan,
                                                     const std::vector<LinkShare>& none) {
  std::vector<const std::vector<LinkShare>*> routes{&none};
  for (const Group& group : plan.groups) {
    routes.push_back(&group.links);
    for (const LinkSet& set : group.link_sets) routes.push_back(&set.links);
  }
  return routes;
}

class Executor {
 public:
  Executor(const Plan& plan, const Watch& watch)
      : plan_(plan),
        watch_(watch),
        network_(plan.link_capacities, routes_of(plan, no_links_)),
        pass_flows_(network_),
        ranks_(plan.ranks.size()),
        groups_(plan.groups.size()),
        joins_(plan.ranks.size()) {
    orders_.reserve(plan.programs.size());
    for (const Program& program : plan.programs) orders_.push_back(by_stream(program));
    timeline_.spans.resize(plan.ranks.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      RankState& rank = ranks_[i];
      rank.order = &orders_[plan.ranks[i].program];
      rank.program = &plan.programs[plan.ranks[i].program];
      timeline_.spans[i].resize(rank.program->ops.size());
      ops_ += rank.program->ops.size();
      rank.spans = timeline_.spans[i].data();
      for (std::size_t stream = 0; stream < kStreams; ++stream) begin(rank, stream);
    }
    FlowNetwork::RouteId route = 1;  // after that without links
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      groups_[i].first_route = route;
      route += 1 + static_cast<FlowNetwork::RouteId>(plan.groups[i].link_sets.size());
    }
  }

  Timeline run() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) advance(rank);
    settle();
    while (!queue_.empty()) {
      now_ = queue_.next_time();
      if (now_ > kLongestStep) throw InputError({}, "", std::string(kTooLongStep));
      while (!queue_.empty() && queue_.next_time() == now_) finish(queue_.pop());
      settle();
      report_progress();
    }
    refuse_leftovers();
    return std::move(timeline_);
  }

 private:
  void report_progress() {
    constexpr std::size_t kOften = 1U << 16U;
    if (!watch_ || (ended_ - reported_ < kOften && ended_ < ops_)) return;
    reported_ = ended_;
    watch_(ended_, ops_);
  }

  static void begin(RankState& rank, std::size_t stream) {
    rank.next[stream] = rank.order->begin[stream];
    if (rank.next[stream] < rank.order->begin[stream + 1]) rank.waiting |= 1U << stream;
    rank.woken = rank.waiting;
  }

  /// Lets the head of every woken stream of a rank join that can.
  void advance(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    for (std::uint32_t left = std::exchange(state.woken, 0) & state.waiting; left != 0;
         left &= left - 1) {
      const auto stream = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint32_t place = state.next[stream];
      const StreamOp& op = state.at(place);
      if (!state.ready(op, 1U << stream)) continue;
      state.waiting &= ~(1U << stream);
      join(rank, place, op);
    }
  }

  void join(std::uint32_t rank, std::uint32_t place, const StreamOp& op) {
    const std::uint32_t group_index =
        op.group == GroupKind::self ? kNone
                                    : plan_.ranks[rank].groups[static_cast<std::size_t>(op.group)];
    const std::size_t expected =
        group_index == kNone ? 1 : plan_.groups[group_index].members.size();
    const std::uint32_t id =
        expected == 1 ? fresh_activity(group_index) : gathering(rank, op.group, group_index);
    Activity& activity = activities_[id];
    activity.members.push_back({rank, place});
    if (!op.compute) take_sms(rank, ranks_[rank].program->transfers[op.cost].sms);
    if (activity.members.size() == expected) {
      if (expected > 1) {
        GroupState& group = groups_[group_index];
        invariant(group.gathering.front() == id, "collectives of a group complete in order");
        group.gathering.erase(group.gathering.begin());  // few: one a stream of a member at most
        ++group.completed;
      }
      start(id);
    }
  }

  /// The activity that this rank's next op on the group belongs to: the k-th of every member.
  std::uint32_t gathering(std::uint32_t rank, GroupKind slot, std::uint32_t group_index) {
    GroupState& group = groups_[group_index];
    const std::uint64_t number = joins_[rank][static_cast<std::size_t>(slot)]++;
    const auto place = static_cast<std::size_t>(number - group.completed);
    while (group.gathering.size() <= place) group.gathering.push_back(fresh_activity(group_index));
    return group.gathering[place];
  }

  std::uint32_t fresh_activity(std::uint32_t group) {
    std::uint32_t id = static_cast<std::uint32_t>(activities_.size());
    if (free_.empty()) {
      activities_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    Activity& activity = activities_[id];
    activity.members.clear();
    activity.group = group;
    activity.flow = kNone;
    return id;
  }

  void start(std::uint32_t id) {
    Activity& activity = activities_[id];
    const Member& first = activity.members.front();
    const RankState& rank = ranks_[first.rank];
    const StreamOp& op = rank.at(first.place);
    activity.compute = op.compute;
    activity.speed = 0;
    for (const Member& member : activity.members) span_of(member).start = now_;
    if (op.compute) {
      activity.cost = &rank.program->compute_costs[op.cost];
      activity.left = to_seconds(activity.cost->time);
      activity.updated = now_;
      for (const Member& member : activity.members) ranks_[member.rank].computing = id;
      touch(first.rank);
      if (activity.cost->traffic != kNoTraffic && activity.group != kNone)
        start_inner(id, rank.program->inner[activity.cost->traffic]);
    } else {
      start_transfer(activity, id, rank.program->transfers[op.cost]);
    }
  }

  void start_inner(std::uint32_t id, const PassTraffic& traffic) {
    const double alone = to_seconds(activities_[id].cost->time);
    for (const InnerFlow& flow : plan_.groups[activities_[id].group].inner) {
      if (traffic[flow.kind].rate() <= 0) continue;
      activities_[id].inner.push_back(pass_flows_.start(id, route(flow.group, flow.link_set),
                                                        traffic[flow.kind], flow.kind, alone));
    }
  }

  [[nodiscard]] Span& span_of(const Member& member) {
    const RankState& rank = ranks_[member.rank];
    return rank.spans[rank.at(member.place).op];
  }

  void start_transfer(Activity& activity, std::uint32_t id, const TransferCost& transfer) {
    activity.transfer = &transfer;
    activity.traffic = 0;
    activity.left = static_cast<double>(transfer.wire.value());
    activity.updated = now_ + transfer.latency;
    if (activity.left <= 0) {
      queue_.schedule(id, activity.updated);
      return;
    }
    activity.flow = network_.add(route_of(activity.group, transfer), transfer.limit, id);
  }

  [[nodiscard]] FlowNetwork::RouteId route(std::uint32_t group, std::size_t link_set) const {
    return groups_[group].first_route + static_cast<FlowNetwork::RouteId>(link_set);
  }
  [[nodiscard]] FlowNetwork::RouteId route_of(std::uint32_t group,
                                              const TransferCost& transfer) const {
    return group == kNone ? 0 : route(group, plan_.groups[group].set_of(transfer));
  }

  void finish(std::uint32_t id) {
    Activity& activity = activities_[id];
    ++timeline_.events;
    timeline_.end = now_;
    if (activity.flow != kNone) network_.remove(activity.flow);
    if (!activity.compute) set_traffic(activity, 0);
    pass_flows_.end(activity.inner);
    ended_ += activity.members.size();
    for (const Member& member : activity.members) leave(member, activity.compute);
    // What starts now may move the activities, but not take this one before it is free.
    for (std::size_t i = 0; i < activities_[id].members.size(); ++i)
      advance(activities_[id].members[i].rank);
    free_.push_back(id);
  }

  void leave(const Member& member, bool compute) {
    RankState& state = ranks_[member.rank];
    const StreamOp& op = state.at(member.place);
    state.spans[op.op].end = now_;
    const std::size_t stream = stream_of(state.program->ops[op.op]);
    if (++state.next[stream] < state.order->begin[stream + 1]) state.waiting |= 1U << stream;
    state.woken |= 1U << stream | std::exchange(state.blocks[stream], 0);
    if (compute) {
      state.computing = kNone;
    } else {
      take_sms(member.rank, -state.program->transfers[op.cost].sms);
    }
  }

  // --- load and speed ---

  void touch(std::uint32_t rank) {
    if (ranks_[rank].dirty) return;
    ranks_[rank].dirty = true;
    dirty_.push_back(rank);
  }

  void take_sms(std::uint32_t rank, int sms) {
    ranks_[rank].sms += sms;
    if (sms != 0) touch(rank);
  }

  /// Replaces the memory traffic that a transfer causes by that at `speed`.
  void set_traffic(Activity& activity, double speed) {
    const std::int64_t traffic = std::llround(activity.transfer->memory_traffic * speed);
    const std::int64_t change = traffic - activity.traffic;
    if (change == 0) return;
    activity.traffic = traffic;
    for (const Member& member : activity.members) {
      ranks_[member.rank].traffic += change;
      touch(member.rank);
    }
  }

  [[nodiscard]] double slowdown(const Activity& activity) const {
    double slowest = 1;
    for (const Member& member : activity.members) {
      const RankState& state = ranks_[member.rank];
      const double sms = std::min(kLargestShare, static_cast<double>(state.sms) / plan_.sm_count);
      const double traffic = std::clamp(static_cast<double>(state.traffic) / plan_.memory_bandwidth,
                                        0.0, kLargestShare);
      const ComputeCost& cost = *activity.cost;
      const double shared = state.traffic > 0 ? 1 + plan_.overlap_slowdown : 1;
      slowest =
          std::max(slowest, cost.sm_bound * shared / (1 - sms) + cost.memory_bound / (1 - traffic) +
                                (1 - cost.sm_bound - cost.memory_bound));
    }
    return slowest;
  }

  /// Of a compute op, by what runs beside it.
  void set_speed(std::uint32_t id) {
    const Activity& activity = activities_[id];
    const double lost = activity.inner.empty() ? 0 : pass_flows_.loss(activity.inner);
    set_speed(id, 1 / (slowdown(activity) + lost));
  }

  /// Notes that the speed of a compute op is to be set once all flows are settled.
  void slow(std::uint32_t id) {
    if (!std::exchange(activities_[id].dirty, true)) slowed_.push_back(id);
  }

  /// Brings `left` up to now, takes the new speed and schedules the new end.
  void set_speed(std::uint32_t id, double speed) {
    Activity& activity = activities_[id];
    if (activity.speed == speed) return;
    if (now_ > activity.updated) {
      activity.left =
          std::max(0.0, activity.left - activity.speed * to_seconds(now_ - activity.updated));
      activity.updated = now_;
    }
    activity.speed = speed;
    queue_.schedule(id, activity.updated + to_duration(activity.left / speed));
  }

  void settle() {
    for (const FlowNetwork::RateChange& change : network_.settle()) {
      if (PassFlows::owns(change.tag)) {
        slow(pass_flows_.take(change));
        continue;
      }
      set_traffic(activities_[change.tag], change.rate);
      set_speed(change.tag, change.rate);
    }
    for (const std::uint32_t rank : dirty_) {
      ranks_[rank].dirty = false;
      const std::uint32_t id = ranks_[rank].computing;
      if (id != kNone) slow(id);
    }
    dirty_.clear();
    for (const std::uint32_t id : slowed_) {
      activities_[id].dirty = false;
      set_speed(id);
    }
    slowed_.clear();
  }

  void refuse_leftovers() const {
    std::vector<BlockedOp> blocked;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      const RankState& state = ranks_[rank];
      for (std::size_t stream = 0; stream < kStreams; ++stream) {
        const bool joined = (state.waiting >> stream & 1U) == 0;
        if (state.next[stream] < state.order->begin[stream + 1])
          blocked.push_back({rank, state.at(state.next[stream]).op, joined});
      }
    }
    if (!blocked.empty()) {
      throw StuckProgram(
          blocked_report(plan_, blocked,
                         [this](std::uint32_t rank, std::uint32_t op) { return ended(rank, op); }));
    }
  }

  [[nodiscard]] bool ended(std::uint32_t rank, std::uint32_t op) const {
    const RankState& state = ranks_[rank];
    const std::size_t stream = stream_of(state.program->ops[op]);
    return state.next[stream] == state.order->begin[stream + 1] ||
           op < state.at(state.next[stream]).op;
  }

  const Plan& plan_;
  const Watch& watch_;
  const std::vector<LinkShare> no_links_;
  std::vector<StreamProgram> orders_;
  FlowNetwork network_;
  PassFlows pass_flows_;
  std::vector<RankState> ranks_;
  std::vector<GroupState> groups_;
  std::vector<std::array<std::uint64_t, kGroupKinds>> joins_;
  std::vector<Activity> activities_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> dirty_;
  std::vector<std::uint32_t> slowed_;  ///< compute ops whose load changed
  EventQueue queue_;
  Timeline timeline_;
  Duration now_{};
  std::size_t ops_ = 0;
  std::size_t ended_ = 0;     ///< of them
  std::size_t reported_ = 0;  ///< when the watch was called last
};

}  // namespace

Timeline execute(const Plan& plan, const Watch& watch) { return Executor(plan, watch).run(); }

}  // namespace simtrain
