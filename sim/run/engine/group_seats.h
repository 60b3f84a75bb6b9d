#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/invariant.h"
#include "sim/run/engine/executor_state.h"
#include "sim/run/engine/period/state_words.h"
#include "sim/run/engine/stretch_flows.h"

namespace simtrain::execution {

/// The kinds of groups that some op of a plan has, numbered: a rank's seats. GroupKind::self is 0.
class Seats {
 public:
  explicit Seats(const std::vector<Program>& programs) {
    for (const Program& program : programs) {
      for (const Op& op : program.ops) add(op.group);
    }
  }
  [[nodiscard]] std::size_t count() const { return kinds_.size(); }
  [[nodiscard]] GroupKind kind(std::size_t seat) const { return kinds_[seat]; }
  [[nodiscard]] std::uint8_t of(GroupKind kind) const {
    return seats_[static_cast<std::size_t>(kind)];
  }

 private:
  void add(GroupKind kind) {
    std::uint8_t& seat = seats_[static_cast<std::size_t>(kind)];
    if (kind == GroupKind::self || seat != 0) return;
    seat = static_cast<std::uint8_t>(kinds_.size());
    kinds_.push_back(kind);
  }

  std::array<std::uint8_t, kGroupKinds> seats_{};
  std::vector<GroupKind> kinds_{GroupKind::self};
};

/// The groups of a plan while it runs, the seats of its ranks on them, and what gathers there.
class GroupSeats {
 public:
  GroupSeats(const Plan& plan, const BurstRoutes& routes)
      : kinds_(plan.programs),
        seats_(plan.ranks.size() * kinds_.count()),
        groups_(plan.groups.size()) {
    for (std::size_t i = 0; i < groups_.size(); ++i)
      groups_[i].members = static_cast<std::uint32_t>(plan.groups[i].members.size());
    change(plan, routes);
  }
  /// Takes the links of another plan of the same groups.
  void change(const Plan& plan, const BurstRoutes& routes) {
    plan_ = &plan;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      groups_[i].link_sets = static_cast<std::uint32_t>(plan.groups[i].link_sets.size());
      groups_[i].first_route = routes.first_of(i);
    }
  }

  void take_seats(std::uint32_t rank) {
    for (std::size_t i = 0; i < kinds_.count(); ++i) {
      const GroupKind kind = kinds_.kind(i);
      seats_[place(rank, i)].group =
          kind == GroupKind::self ? kNone
                                  : plan_->ranks[rank].groups[static_cast<std::size_t>(kind)];
    }
  }

  /// The activity that a rank's next op on its group of a kind belongs to: the k-th of every
  /// member.
  std::uint32_t join(std::uint32_t rank, GroupKind kind, Activities& activities) {
    Seat& own = seats_[place(rank, kinds_.of(kind))];
    if (expected(own.group) == 1) return activities.fresh(own.group);
    GroupState& group = groups_[own.group];
    const std::uint32_t at = own.joins++ - group.completed;
    while (group.gathering.size() <= at) group.gathering.push_back(activities.fresh(own.group));
    return group.gathering[at];
  }
  /// Whether all that belong to an activity have joined it. Then the group is done gathering it.
  bool complete(std::uint32_t id, const Activity& activity) {
    const std::uint32_t all = expected(activity.group);
    if (activity.members.size() < all) return false;
    if (all == 1) return true;
    GroupState& group = groups_[activity.group];
    invariant(group.gathering.front() == id, "collectives of a group complete in order");
    group.gathering.erase(group.gathering.begin());  // few: one a stream of a member at most
    ++group.completed;
    return true;
  }

  /// Whether all of an activity's members have joined it.
  [[nodiscard]] bool runs(const Activity& activity) const {
    return activity.members.size() == expected(activity.group);
  }

  [[nodiscard]] FlowNetwork::RouteId route(std::uint32_t group, std::size_t link_set) const {
    return groups_[group].first_route + static_cast<FlowNetwork::RouteId>(link_set);
  }
  [[nodiscard]] FlowNetwork::RouteId route_of(std::uint32_t group,
                                              const TransferCost& transfer) const {
    if (group == kNone) return 0;
    return route(group, groups_[group].link_sets == 0 ? 0 : plan_->groups[group].set_of(transfer));
  }

  /// What gathers, for another time to be compared with: numbers of activities by activity.
  void describe(const std::vector<std::uint32_t>& number, StateWords& words) const {
    for (const Seat& seat : seats_) {
      const bool used = expected(seat.group) > 1 && seat.joins > 0;
      words.add(used ? seat.joins - groups_[seat.group].completed : 0);
    }
    for (const GroupState& group : groups_) {
      words.add(group.gathering.size());
      for (const std::uint32_t id : group.gathering) words.add(number[id]);
    }
  }
  /// What seats have joined, and groups have completed.
  [[nodiscard]] std::vector<std::uint32_t> counts() const {
    std::vector<std::uint32_t> all;
    all.reserve(seats_.size() + groups_.size());
    for (const Seat& seat : seats_) all.push_back(seat.joins);
    for (const GroupState& group : groups_) all.push_back(group.completed);
    return all;
  }
  /// Joins and completes what has been since these counts, so many times more.
  void repeat(const std::vector<std::uint32_t>& before, std::uint32_t times) {
    auto count = before.begin();
    for (Seat& seat : seats_) seat.joins += times * (seat.joins - *count++);
    for (GroupState& group : groups_) group.completed += times * (group.completed - *count++);
  }

  /// Asks memory for the seats of a rank, and for the group of one of them.
  void fetch(std::uint32_t rank) const { __builtin_prefetch(&seats_[place(rank, 0)]); }
  void fetch_group(std::uint32_t rank, GroupKind kind) const {
    const std::uint32_t group = seats_[place(rank, kinds_.of(kind))].group;
    if (group != kNone) __builtin_prefetch(&groups_[group]);
  }

 private:
  [[nodiscard]] std::size_t place(std::uint32_t rank, std::size_t number) const {
    return rank * kinds_.count() + number;
  }
  [[nodiscard]] std::uint32_t expected(std::uint32_t group) const {
    return group == kNone ? 1 : groups_[group].members;
  }

  const Plan* plan_ = nullptr;
  Seats kinds_;
  std::vector<Seat> seats_;  ///< by rank and the number of the kind
  std::vector<GroupState> groups_;
};

}  // namespace simtrain::execution
