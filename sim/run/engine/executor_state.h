#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/run/engine/flow_network.h"
#include "sim/run/engine/stream_program.h"
#include "sim/run/engine/timeline.h"
#include "sim/workload/plan/plan.h"

/// What the executor keeps of activities, ranks and groups while it runs.
namespace simtrain::execution {

inline constexpr std::uint32_t kNone = 0xffffffffU;

/// A member of a running (or still gathering) activity: the op at a place of its rank's program.
struct Member {
  std::uint32_t rank;
  std::uint32_t place;
};

/// One collective, message or compute op between its first member's joining and its end.
struct Activity {
  std::vector<Member> members;
  std::uint32_t group = kNone;
  bool compute = false;
  FlowNetwork::FlowId flow = kNone;
  Duration updated{};  ///< up to when `left` is true; for a transfer not before its latency is over
  double left = 0;     ///< seconds of compute run alone, or wire bytes
  double speed = 0;    ///< of that per second
  bool dirty = false;  ///< the load of a compute op changed at this point in time
  std::int64_t traffic = 0;  ///< memory bytes per second on each member; whole, for exact sums
  const ComputeCost* cost = nullptr;
  const TransferCost* transfer = nullptr;
  std::vector<std::uint32_t> inner;  ///< of a pass: its runs in PassFlows
};

struct RankState {
  std::array<std::uint32_t, kStreams>
      next{};                 ///< place in each stream of the op that has not ended
  std::uint32_t waiting = 0;  ///< streams, as bits, whose next op has not joined
  std::uint32_t woken = 0;    ///< of them those whose next op may be ready now
  std::array<std::uint32_t, kStreams>
      blocks{};                     ///< of each stream: those that wait for its next op
  std::uint32_t computing = kNone;  ///< its running compute activity
  const StreamProgram* order = nullptr;
  const Program* program = nullptr;
  Span* spans = nullptr;
  int sms = 0;               ///< taken by transfers
  std::int64_t traffic = 0;  ///< memory bytes per second of transfers
  bool dirty = false;        ///< its load changed at this point in time

  [[nodiscard]] const StreamOp& at(std::uint32_t place) const { return order->ops[place]; }
  /// Whether the next op of a stream can join; otherwise it is woken by what it waits for.
  [[nodiscard]] bool ready(const StreamOp& op, std::uint32_t stream_bit) {
    for (std::size_t i = 0; i < op.after_place.size(); ++i) {
      if (next[op.after_stream[i]] >= op.after_place[i]) continue;
      blocks[op.after_stream[i]] |= stream_bit;
      return false;
    }
    return true;
  }
};

struct GroupState {
  std::vector<std::uint32_t> gathering;  ///< activities not yet complete, oldest first
  std::uint64_t completed = 0;           ///< how many have started
  FlowNetwork::RouteId first_route = 0;  ///< of Group::links; those of its link sets follow
};

}  // namespace simtrain::execution
