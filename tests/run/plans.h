#pragma once

#include <initializer_list>
#include <numeric>
#include <vector>

#include "sim/workload/plan/plan.h"

namespace simtrain::testing {

/// A plan made by hand: 100 SMs, 1 TB/s of memory, no overlap slowdown. Each rank has a program of
/// its own.
class HandMade {
 public:
  HandMade() {
    plan.sm_count = 100;
    plan.memory_bandwidth = 1e12;
  }

  std::uint32_t rank(int stage = 0) {
    SimulatedRank rank;
    rank.program = static_cast<std::uint32_t>(plan.programs.size());
    rank.rank = static_cast<int>(plan.ranks.size());
    rank.stage = stage;
    plan.programs.emplace_back();
    plan.ranks.push_back(rank);
    return static_cast<std::uint32_t>(plan.ranks.size() - 1);
  }

  /// A link of so many bytes per second.
  int link(double capacity) {
    plan.link_capacities.push_back(capacity);
    return static_cast<int>(plan.link_capacities.size() - 1);
  }

  std::uint32_t group(GroupKind slot, const std::vector<std::uint32_t>& members,
                      const std::vector<LinkShare>& links = {}) {
    const auto id = static_cast<std::uint32_t>(plan.groups.size());
    plan.groups.push_back({members, links});
    for (const std::uint32_t member : members)
      plan.ranks[member].groups[static_cast<std::size_t>(slot)] = id;
    return id;
  }

  /// A pair of neighbouring stages: what `from` sends to its next, `to` receives from its previous,
  /// or the other way round.
  void pair(GroupKind sends, std::uint32_t from, std::uint32_t to,
            const std::vector<LinkShare>& links = {}) {
    const std::uint32_t id = group(sends, {from}, links);
    plan.groups[id].members.push_back(to);
    const GroupKind receives =
        sends == GroupKind::to_next ? GroupKind::from_previous : GroupKind::from_next;
    plan.ranks[to].groups[static_cast<std::size_t>(receives)] = id;
  }

  std::uint32_t add(std::uint32_t rank, Op op, std::initializer_list<std::uint32_t> after = {}) {
    std::size_t i = 0;
    for (const std::uint32_t before : after) op.after[i++] = before;
    return program(rank).add(op);
  }

  std::uint32_t compute(std::uint32_t rank, const ComputeCost& cost,
                        std::initializer_list<std::uint32_t> after = {},
                        GroupKind slot = GroupKind::self) {
    Op op;
    op.group = slot;
    op.cost = program(rank).add_cost(cost);
    return add(rank, op, after);
  }
  std::uint32_t compute(std::uint32_t rank, Duration time,
                        std::initializer_list<std::uint32_t> after = {}) {
    return compute(rank, work(time), after);
  }

  std::uint32_t transfer(std::uint32_t rank, Stream stream, GroupKind slot,
                         const TransferCost& cost,
                         std::initializer_list<std::uint32_t> after = {}) {
    Op op;
    op.compute = false;
    op.stream = stream;
    op.group = slot;
    op.label = Label::collective;
    op.cost = program(rank).add_transfer(cost);
    return add(rank, op, after);
  }

  /// Work bound by SMs and by memory in the given shares.
  static ComputeCost work(Duration time, double sm_bound = 1, double memory_bound = 0) {
    ComputeCost cost;
    cost.time = time;
    cost.sm_bound = sm_bound;
    cost.memory_bound = memory_bound;
    part(cost.parts, Share::gemm) = to_seconds(time);
    return cost;
  }
  /// So many bytes at no more than `limit`.
  static TransferCost bytes(std::int64_t wire, double limit, Duration latency = {}) {
    TransferCost cost;
    cost.bytes = Bytes(wire);
    cost.wire = Bytes(wire);
    cost.limit = limit;
    cost.latency = latency;
    return cost;
  }

  Program& program(std::uint32_t rank) { return plan.programs[plan.ranks[rank].program]; }

  Plan plan;
};

}  // namespace simtrain::testing
