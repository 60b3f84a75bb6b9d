#include "sim/run/executor.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "sim/core/event_queue.h"
#include "sim/core/input_error.h"
#include "sim/core/invariant.h"
#include "sim/run/blocked_report.h"
#include "sim/run/flow_network.h"
#include "sim/run/stream_order.h"

namespace simtrain {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;
/// A transfer may hold at most this part of a GPU's SMs or memory bandwidth.
constexpr double kLargestShare = 0.5;
/// Far below what a Duration holds, so that what is added to it still fits.
constexpr Duration kLongestStep = std::chrono::seconds(1'000'000);

/// A member of a running (or still gathering) activity.
struct Member {
  std::uint32_t rank;
  std::uint32_t op;
};

/// One collective, message or compute op between its first member's joining and its end.
struct Activity {
  std::vector<Member> members;
  std::uint32_t group = kNone;
  bool compute = false;
  bool running = false;
  std::uint32_t version = 0;  ///< of its pending end: older events are stale
  FlowNetwork::FlowId flow = kNone;
  Duration updated{};  ///< up to when `left` is true; for a transfer not before its latency is over
  double left = 0;     ///< seconds of compute run alone, or wire bytes
  double speed = 0;    ///< of that per second
  const ComputeCost* cost = nullptr;
  const TransferCost* transfer = nullptr;
};

struct RankState {
  std::array<std::uint32_t, kStreams>
      next{};                           ///< place in each stream of the op that has not ended
  std::array<bool, kStreams> joined{};  ///< the op at `next` has joined its activity
  std::uint32_t computing = kNone;      ///< its running compute activity
  int sms = 0;                          ///< taken by transfers
  std::int64_t traffic =
      0;               ///< memory bytes per second of transfers; whole, so that sums are exact
  bool dirty = false;  ///< its load changed at this point in time
};

struct GroupState {
  std::deque<std::uint32_t> gathering;  ///< activities not yet complete, oldest first
  std::uint64_t completed = 0;          ///< how many have started
};

struct Pending {
  std::uint32_t activity;
  std::uint32_t version;
};

class Executor {
 public:
  explicit Executor(const Plan& plan)
      : plan_(plan),
        orders_(stream_orders(plan)),
        network_(plan.link_capacities),
        ranks_(plan.ranks.size()),
        groups_(plan.groups.size()),
        joins_(plan.ranks.size()) {
    timeline_.spans.resize(plan.ranks.size());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      timeline_.spans[rank].resize(program(static_cast<std::uint32_t>(rank)).ops.size());
    }
  }

  Timeline play() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) advance(rank);
    settle();
    while (!queue_.empty()) {
      now_ = queue_.next_time();
      if (now_ > kLongestStep) {
        throw InputError({}, "",
                         "the step takes more than 11 days; a rate, a latency or a size is out of "
                         "any measure");
      }
      while (!queue_.empty() && queue_.next_time() == now_) {
        const auto event = queue_.pop();
        const Activity& activity = activities_[event.payload.activity];
        if (activity.running && activity.version == event.payload.version)
          finish(event.payload.activity);
      }
      settle();
    }
    refuse_leftovers();
    return std::move(timeline_);
  }

 private:
  [[nodiscard]] const Program& program(std::uint32_t rank) const {
    return plan_.programs[plan_.ranks[rank].program];
  }
  [[nodiscard]] const StreamOrder& order(std::uint32_t rank) const {
    return orders_[plan_.ranks[rank].program];
  }

  [[nodiscard]] bool ended(std::uint32_t rank, std::uint32_t op) const {
    const Op& asked = program(rank).ops[op];
    return order(rank).place[op] < ranks_[rank].next[static_cast<std::size_t>(asked.stream)];
  }

  /// Lets the head of every stream of a rank join that can.
  void advance(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      const auto& ops = order(rank).ops[stream];
      if (state.joined[stream] || state.next[stream] >= ops.size()) continue;
      const std::uint32_t op = ops[state.next[stream]];
      const auto& after = program(rank).ops[op].after;
      const bool ready = std::all_of(after.begin(), after.end(), [&](std::uint32_t other) {
        return other == kNoOp || ended(rank, other);
      });
      if (ready) {
        state.joined[stream] = true;
        join(rank, op);
      }
    }
  }

  void join(std::uint32_t rank, std::uint32_t op_index) {
    const Op& op = program(rank).ops[op_index];
    const std::uint32_t group_index =
        op.group == GroupSlot::self ? kNone
                                    : plan_.ranks[rank].groups[static_cast<std::size_t>(op.group)];
    const std::size_t expected =
        group_index == kNone ? 1 : plan_.groups[group_index].members.size();
    const std::uint32_t id =
        expected == 1 ? fresh_activity(group_index) : gathering(rank, op.group, group_index);
    Activity& activity = activities_[id];
    activity.members.push_back({rank, op_index});
    if (!op.compute) take_sms(rank, program(rank).transfers[op.cost].sms);
    if (activity.members.size() == expected) {
      if (expected > 1) {
        GroupState& group = groups_[group_index];
        invariant(group.gathering.front() == id, "collectives of a group complete in order");
        group.gathering.pop_front();
        ++group.completed;
      }
      start(id);
    }
  }

  /// The activity that this rank's next op on the group belongs to: the k-th of every member.
  std::uint32_t gathering(std::uint32_t rank, GroupSlot slot, std::uint32_t group_index) {
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
    activity.running = false;
    activity.flow = kNone;
    return id;
  }

  void start(std::uint32_t id) {
    Activity& activity = activities_[id];
    const Member& first = activity.members.front();
    const Op& op = program(first.rank).ops[first.op];
    activity.compute = op.compute;
    activity.running = true;
    activity.speed = 0;
    for (const Member& member : activity.members)
      timeline_.spans[member.rank][member.op].start = now_;
    if (op.compute) {
      activity.cost = &program(first.rank).compute_costs[op.cost];
      activity.left = to_seconds(activity.cost->time);
      activity.updated = now_;
      for (const Member& member : activity.members) ranks_[member.rank].computing = id;
      touch(first.rank);
    } else {
      start_transfer(activity, id, program(first.rank).transfers[op.cost]);
    }
  }

  void start_transfer(Activity& activity, std::uint32_t id, const TransferCost& transfer) {
    activity.transfer = &transfer;
    activity.left = static_cast<double>(transfer.wire.value());
    activity.updated = now_ + transfer.latency;
    if (activity.left <= 0) {
      queue_.schedule(activity.updated, {id, ++activity.version});
      return;
    }
    const auto& links =
        activity.group == kNone ? no_links_ : plan_.groups[activity.group].links_of(transfer);
    activity.flow = network_.add(links, transfer.limit, id);
  }

  void finish(std::uint32_t id) {
    Activity& activity = activities_[id];
    activity.running = false;
    ++timeline_.events;
    timeline_.end = now_;
    if (activity.flow != kNone) network_.remove(activity.flow);
    if (!activity.compute) set_traffic(activity, 0);
    const std::vector<Member> members = std::move(activity.members);
    activity.members = {};
    const bool compute = activity.compute;
    free_.push_back(id);
    for (const Member& member : members) {
      RankState& state = ranks_[member.rank];
      const Op& op = program(member.rank).ops[member.op];
      const auto stream = static_cast<std::size_t>(op.stream);
      timeline_.spans[member.rank][member.op].end = now_;
      ++state.next[stream];
      state.joined[stream] = false;
      if (compute) {
        state.computing = kNone;
      } else {
        take_sms(member.rank, -program(member.rank).transfers[op.cost].sms);
      }
    }
    for (const Member& member : members) advance(member.rank);
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

  /// Replaces the memory traffic that an activity at its present speed causes by that at `speed`.
  void set_traffic(Activity& activity, double speed) {
    const double factor = activity.transfer->memory_traffic;
    const std::int64_t change =
        std::llround(factor * speed) - std::llround(factor * activity.speed);
    if (change == 0) return;
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
    queue_.schedule(activity.updated + to_duration(activity.left / speed),
                    {id, ++activity.version});
  }

  void settle() {
    for (const FlowNetwork::RateChange& change : network_.settle()) {
      set_traffic(activities_[change.tag], change.rate);
      set_speed(change.tag, change.rate);
    }
    for (const std::uint32_t rank : dirty_) {
      ranks_[rank].dirty = false;
      const std::uint32_t id = ranks_[rank].computing;
      if (id != kNone) set_speed(id, 1 / slowdown(activities_[id]));
    }
    dirty_.clear();
  }

  void refuse_leftovers() const {
    std::vector<BlockedOp> blocked;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      for (std::size_t stream = 0; stream < kStreams; ++stream) {
        const auto& ops = order(rank).ops[stream];
        if (ranks_[rank].next[stream] < ops.size()) {
          blocked.push_back({rank, ops[ranks_[rank].next[stream]], ranks_[rank].joined[stream]});
        }
      }
    }
    if (!blocked.empty()) {
      throw StuckProgram(
          blocked_report(plan_, blocked,
                         [this](std::uint32_t rank, std::uint32_t op) { return ended(rank, op); }));
    }
  }

  const Plan& plan_;
  const std::vector<LinkShare> no_links_;
  std::vector<StreamOrder> orders_;
  FlowNetwork network_;
  std::vector<RankState> ranks_;
  std::vector<GroupState> groups_;
  std::vector<std::array<std::uint64_t, kGroupSlots>> joins_;
  std::vector<Activity> activities_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> dirty_;
  EventQueue<Pending> queue_;
  Timeline timeline_;
  Duration now_{};
};

}  // namespace

Timeline execute(const Plan& plan) { return Executor(plan).play(); }

}  // namespace simtrain
