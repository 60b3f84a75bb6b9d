#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/core/event_queue.h"
#include "sim/core/input/input_error.h"
#include "sim/run/engine/executor.h"
#include "sim/run/engine/executor_state.h"
#include "sim/run/engine/group_seats.h"
#include "sim/run/engine/loop/blocked_report.h"
#include "sim/run/engine/loop/period_watch.h"
#include "sim/run/engine/pass_flows.h"
#include "sim/run/engine/phases.h"
#include "sim/run/engine/rank_loads.h"
#include "sim/run/engine/stretch_flows.h"

namespace simtrain::execution {

/// The event loop; what it does is in executor.h.
class Executor {
 public:
  /// With `steps`, its jobs begin their steps again and again; with `phases`, whose first is this
  /// plan, the others take its place at their times.
  Executor(const Plan& plan, const Watch& watch, const PlanBursts& bursts, JobSteps* steps,
           RateObserver* observer, PhaseLog* phases)
      : plan_(&plan),
        watch_(watch),
        bursts_(&bursts),
        steps_(steps),
        observer_(observer),
        phases_(phases),
        routes_(std::make_unique<const BurstRoutes>(plan, bursts)),
        network_(plan.link_capacities, routes_->all(), observer),
        pass_flows_(network_),
        stretch_flows_(*routes_, network_),
        ranks_(plan.ranks.size()),
        loads_(plan),
        groups_(plan, *routes_),
        periods_(steps == nullptr && observer == nullptr && phases == nullptr ? &plan : nullptr) {
    link_programs();
    begin();
  }

  Timeline run() {
    if (steps_ != nullptr) schedule_starts();
    for (std::uint32_t rank = 0; rank < ranks_.size() && steps_ == nullptr; ++rank) advance(rank);
    settle();
    while (!queue_.empty() || !stretch_flows_.idle()) {
      now_ = std::min(queue_.empty() ? Duration::max() : queue_.next_time(),
                      stretch_flows_.next_time());
      if (phases_ != nullptr) now_ = std::min(now_, phases_->next_time());
      if (now_ > kLongestStep) throw InputError({}, "", std::string(kTooLongStep));
      if (observer_ != nullptr) observer_->at(now_);
      for (const std::uint32_t id : stretch_flows_.finish_due(now_)) slow(id);
      while (!queue_.empty() && queue_.next_time() == now_) finish_due();
      if (phases_ != nullptr && phases_->next_time() == now_) change_phase();
      settle();
      if (steps_ != nullptr && steps_->complete()) return std::move(timeline_);
      if (periods_.due(ranks_.front())) look_for_period();
      report_progress();
    }
    refuse_leftovers(*plan_, ranks_);
    return std::move(timeline_);
  }

 private:
  void report_progress() {
    constexpr std::size_t kOften = 1U << 16U;
    if (!watch_ || (ended_ - reported_ < kOften && ended_ < ops_)) return;
    reported_ = ended_;
    watch_(ended_, ops_);
  }

  // --- where programs begin, see executor.cpp ---

  void link_programs();
  void begin();

  // --- steps of jobs that begin again, see repeated_jobs.cpp ---

  void schedule_starts();
  void begin_step(std::uint32_t job);
  void count_ended(std::uint32_t id);

  /// Lets the head of every woken stream of a rank join that can.
  void advance(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    for (auto left = static_cast<std::uint32_t>(std::exchange(state.woken, std::uint16_t{0}) &
                                                state.waiting);
         left != 0; left &= left - 1) {
      const auto stream = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint32_t op = state.next[stream];
      if (!state.ready(op, 1U << stream)) continue;
      state.waiting &= static_cast<std::uint16_t>(~(1U << stream));
      join(rank, op);
    }
  }

  void join(std::uint32_t rank, std::uint32_t op) {
    const RankState& state = ranks_[rank];
    const std::uint32_t id = groups_.join(rank, state.at(op).group, activities_);
    Activity& activity = activities_[id];
    activity.members.push_back({rank, op});
    loads_.take_sms(rank, sms_of(state.program(), op));
    if (groups_.complete(id, activity)) start(id);
  }

  void start(std::uint32_t id) {
    Activity& activity = activities_[id];
    const Member& first = activity.members.front();
    const RankState& rank = ranks_[first.rank];
    const Op& op = rank.at(first.op);
    activity.compute = op.compute;
    activity.speed = 0;
    activity.started = now_;
    if (op.compute) {
      activity.cost = &rank.program().compute_costs[op.cost];
      activity.left = to_seconds(activity.cost->time);
      activity.updated = now_;
      for (const Member& member : activity.members) loads_.computing(member.rank) = id;
      loads_.touch(first.rank);
      if (activity.cost->traffic != kNoTraffic && activity.group != kNone)
        start_inner(id, plan_->ranks[first.rank].program);
    } else {
      start_transfer(activity, id, rank.program().transfers[op.cost]);
    }
  }

  void start_inner(std::uint32_t id, std::uint32_t program) {
    Activity& activity = activities_[id];
    const Group& group = plan_->groups[activity.group];
    const std::uint32_t place = activity.cost->traffic;
    if (group.inner.empty()) return;
    if (!bursts_->empty() && !(*bursts_)[program][place].all.empty()) {
      activity.stretch = stretch_flows_.begin(id, (*bursts_)[program][place], group);
      return;
    }
    start_sums(id, program, group);
  }

  /// A flow for all that a pass moves on each kind of group.
  void start_sums(std::uint32_t id, std::uint32_t program, const Group& group) {
    Activity& activity = activities_[id];
    const PassTraffic& traffic = plan_->programs[program].inner[activity.cost->traffic];
    const double alone = to_seconds(activity.cost->time);
    for (const InnerFlow& flow : group.inner) {
      if (traffic[flow.kind].rate() <= 0) continue;
      activity.inner.push_back(pass_flows_.start(id, groups_.route(flow.group, flow.link_set),
                                                 traffic[flow.kind], flow.kind, alone));
    }
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
    activity.flow = network_.add(groups_.route_of(activity.group, transfer), transfer.limit, id);
  }

  /// All that ends now, in order. Memory is asked for before its turn, since each event touches
  /// other ranks than the one before.
  void finish_due() {
    constexpr std::size_t kAhead = 4;
    due_.clear();
    while (!queue_.empty() && queue_.next_time() == now_) due_.push_back(queue_.pop());
    for (std::size_t i = 0; i < due_.size(); ++i) {
      if (i + 3 * kAhead < due_.size()) __builtin_prefetch(&activities_[due_[i + 3 * kAhead]]);
      if (i + 2 * kAhead < due_.size()) fetch_ranks(activities_[due_[i + 2 * kAhead]]);
      if (i + kAhead < due_.size()) fetch_groups(activities_[due_[i + kAhead]]);
      finish(due_[i]);
    }
  }

  void fetch_ranks(const Activity& activity) const {
    for (const Member& member : activity.members) {
      __builtin_prefetch(&ranks_[member.rank]);
      __builtin_prefetch(&ranks_[member.rank].order);
      loads_.fetch(member.rank);
      groups_.fetch(member.rank);
    }
    if (activity.flow != kNone) network_.fetch(activity.flow);
  }

  /// The groups of the ops that may come next on the members' streams.
  void fetch_groups(const Activity& activity) const {
    for (const Member& member : activity.members) {
      const RankState& state = ranks_[member.rank];
      __builtin_prefetch(&state.spans[member.op], 1);
      const std::uint32_t next = state.link(member.op).next;
      if (next != kNoOp) groups_.fetch_group(member.rank, state.at(next).group);
      for (std::uint32_t left = state.blocks[stream_of(state.at(member.op))]; left != 0;
           left &= left - 1) {
        const std::uint32_t woken = state.next[static_cast<std::size_t>(std::countr_zero(left))];
        groups_.fetch_group(member.rank, state.at(woken).group);
      }
    }
  }

  /// Seconds of its time alone, or bytes, until something happens to an activity.
  [[nodiscard]] double until_next(const Activity& activity) const {
    if (activity.stretch == kNone) return activity.left;
    const double alone = to_seconds(activity.cost->time);
    return std::max(0.0, activity.left - (alone - stretch_flows_.next_s(activity.stretch, alone)));
  }

  /// A stretch has come to where its transfers start or are needed. Its speed is set anew.
  void reach(std::uint32_t id) {
    Activity& activity = activities_[id];
    activity.left -= until_next(activity);
    activity.updated = now_;
    activity.speed = 0;
    stretch_flows_.reach(activity.stretch, now_);
    slow(id);
  }

  void finish(std::uint32_t id) {
    if (activities_[id].stretch != kNone) {
      if (!stretch_flows_.over(activities_[id].stretch)) return reach(id);
      stretch_flows_.end(activities_[id].stretch);
    }
    Activity& activity = activities_[id];
    ++timeline_.events;
    timeline_.end = now_;
    if (activity.flow != kNone) network_.remove(activity.flow);
    if (!activity.compute) set_traffic(activity, 0);
    pass_flows_.end(activity.inner);
    activity.inner.clear();
    ended_ += activity.members.size();
    for (const Member& member : activity.members) {
      if (phases_ != nullptr) phases_->note_end(id, member.rank, member.op);
      leave(member, activity);
    }
    // What starts now may move the activities, but not take this one before it is free.
    for (std::size_t i = 0; i < activities_[id].members.size(); ++i)
      advance(activities_[id].members[i].rank);
    if (steps_ != nullptr) count_ended(id);
    if (phases_ != nullptr) phases_->forget(id);
    activities_.free(id);
  }

  void leave(const Member& member, const Activity& activity) {
    RankState& state = ranks_[member.rank];
    const std::size_t stream = stream_of(state.at(member.op));
    state.spans[member.op] = {activity.started, now_};
    const auto bit = static_cast<std::uint16_t>(1U << stream);
    state.next[stream] = state.link(member.op).next;
    if (state.next[stream] != kNoOp) state.waiting |= bit;
    state.woken |= bit;
    state.woken |= std::exchange(state.blocks[stream], std::uint16_t{0});
    if (activity.compute) {
      loads_.computing(member.rank) = kNone;
    } else {
      loads_.take_sms(member.rank, -sms_of(state.program(), member.op));
    }
  }

  // --- load and speed ---

  /// Replaces the memory traffic that a transfer causes by that at `speed`.
  void set_traffic(Activity& activity, double speed) {
    const std::int64_t traffic = std::llround(activity.transfer->memory_traffic * speed);
    const std::int64_t change = traffic - activity.traffic;
    if (change == 0) return;
    activity.traffic = traffic;
    for (const Member& member : activity.members) loads_.add_traffic(member.rank, change);
  }

  /// Of a compute op, by what runs beside it.
  void set_speed(std::uint32_t id) {
    const Activity& activity = activities_[id];
    if (activity.stretch != kNone && stretch_flows_.stalled(activity.stretch)) return;
    const double lost = activity.inner.empty() ? 0 : pass_flows_.loss(activity.inner);
    set_speed(id, 1 / (loads_.slowdown(activity) + lost));
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
    queue_.schedule(id, activity.updated + to_duration(until_next(activity) / speed));
  }

  void settle() {
    for (const FlowNetwork::RateChange& change : network_.settle()) {
      if (PassFlows::owns(change.tag)) {
        slow(pass_flows_.take(change));
        continue;
      }
      if (StretchFlows::owns(change.tag)) {
        stretch_flows_.take(change, now_);
        continue;
      }
      set_traffic(activities_[change.tag], change.rate);
      set_speed(change.tag, change.rate);
    }
    loads_.for_each_touched([this](std::uint32_t computing) { slow(computing); });
    for (const std::uint32_t id : slowed_) {
      activities_[id].dirty = false;
      set_speed(id);
    }
    slowed_.clear();
  }

  // --- another phase, see phase_change.cpp ---

  void change_phase();
  void take_plan(const PlanPhase& phase);
  void go_on(std::uint32_t id, const Plan& before);
  void go_on_computing(std::uint32_t id, const Program& program, const Op& op);
  void go_on_moving(std::uint32_t id, const TransferCost& transfer);
  [[nodiscard]] double left_now(const Activity& activity) const;
  void scale_left(Activity& activity, double times);

  // --- periods that are alike, see period_skip.cpp ---

  struct RepeatedOps {
    std::uint32_t first = 0;
    std::uint32_t next = 0;
    std::uint32_t period = 0;
  };
  void look_for_period();
  [[nodiscard]] Checkpoint checkpoint() const;
  [[nodiscard]] StateWords state_words() const;
  [[nodiscard]] std::vector<std::uint32_t> live_activities(
      std::vector<std::uint32_t>& number) const;
  [[nodiscard]] std::uint64_t place_word(std::uint32_t rank, std::uint32_t op) const;
  void describe(const Activity& activity, StateWords& words,
                std::vector<FlowNetwork::FlowId>& flows) const;
  [[nodiscard]] std::uint32_t periods_ahead(const Checkpoint& before) const;
  [[nodiscard]] std::uint32_t periods_in_time(Duration began) const;
  [[nodiscard]] static std::uint32_t periods_waiting(
      const RankState& state, const ProgramPeriod& period, std::uint32_t op,
      const std::array<std::uint32_t, kStreams>& before);
  [[nodiscard]] static bool depends_within(const RankState& state, const ProgramPeriod& period,
                                           std::uint32_t first, std::uint32_t last);
  void repeat_period(const Checkpoint& before, std::uint32_t times);
  static void repeat_spans(RankState& state, const RepeatedOps& ops, Duration length,
                           std::uint32_t times);

  const Plan* plan_;
  const Watch& watch_;
  const PlanBursts* bursts_;
  JobSteps* steps_;
  RateObserver* observer_;
  PhaseLog* phases_;
  std::unique_ptr<const BurstRoutes> routes_;
  std::vector<StreamOrder> orders_;
  FlowNetwork network_;
  PassFlows pass_flows_;
  StretchFlows stretch_flows_;
  std::vector<RankState> ranks_;
  RankLoads loads_;
  GroupSeats groups_;
  PeriodWatch periods_;
  Activities activities_;
  std::vector<std::uint32_t> slowed_;  ///< compute ops whose load changed
  std::vector<std::uint32_t> due_;     ///< activities that end now
  EventQueue queue_;
  Timeline timeline_;
  Duration now_{};
  std::size_t ops_ = 0;
  std::size_t ended_ = 0;     ///< of them
  std::size_t reported_ = 0;  ///< when the watch was called last
};

}  // namespace simtrain::execution
