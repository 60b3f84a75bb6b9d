#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "sim/run/engine/flow_network.h"
#include "sim/run/engine/stream_order.h"
#include "sim/run/engine/timeline.h"
#include "sim/workload/plan/plan.h"

/// What the executor keeps of activities, ranks and groups while it runs. A step of many thousand
/// ranks is bound by the memory that an event touches, so that these are small and lie together by
/// when they are asked for.
namespace simtrain::execution {

inline constexpr std::uint32_t kNone = 0xffffffffU;

/// A list of mostly `Few`, which it holds in itself.
template <class T, std::size_t Few>
using ShortList = boost::container::small_vector<
    T, Few, void,
    boost::container::small_vector_options_t<boost::container::stored_size<std::uint32_t>>>;

/// A member of a running (or still gathering) activity: an op of its rank's program.
struct Member {
  std::uint32_t rank;
  std::uint32_t op;
};

/// One collective, message or compute op between its first member's joining and its end.
struct alignas(64) Activity {  // NOLINT(bugprone-exception-escape): only where memory ends
  ShortList<Member, 2> members;
  std::uint32_t group = kNone;
  FlowNetwork::FlowId flow = kNone;
  Duration started{};
  Duration updated{};  ///< up to when `left` is true; for a transfer not before its latency is over
  double left = 0;     ///< seconds of compute run alone, or wire bytes
  double speed = 0;    ///< of that per second
  std::int64_t traffic = 0;  ///< memory bytes per second on each member; whole, for exact sums
  const ComputeCost* cost = nullptr;       ///< of compute, else none
  const TransferCost* transfer = nullptr;  ///< of a transfer
  bool compute = false;
  bool dirty = false;             ///< the load of a compute op changed at this point in time
  std::uint32_t stretch = kNone;  ///< of a stretch whose transfers run one by one: in StretchFlows
  ShortList<std::uint32_t, 2> inner;  ///< of a pass: its runs in PassFlows
};

/// Activities by number; the numbers of those that have ended are given again.
class Activities {
 public:
  /// A new one, on a group or on none.
  std::uint32_t fresh(std::uint32_t group) {
    std::uint32_t id = static_cast<std::uint32_t>(all_.size());
    if (free_.empty()) {
      all_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    Activity& activity = all_[id];
    activity.members.clear();
    activity.inner.clear();
    activity.group = group;
    activity.flow = kNone;
    activity.stretch = kNone;
    return id;
  }
  void free(std::uint32_t id) { free_.push_back(id); }
  /// Calls `visit` for each that has not ended, in order of their numbers.
  template <class Visit>
  void for_each_live(const Visit& visit) const {
    std::vector<bool> ended(all_.size(), false);
    for (const std::uint32_t id : free_) ended[id] = true;
    for (std::uint32_t id = 0; id < ended.size(); ++id) {
      if (!ended[id]) visit(id);
    }
  }
  [[nodiscard]] Activity& operator[](std::uint32_t id) { return all_[id]; }
  [[nodiscard]] const Activity& operator[](std::uint32_t id) const { return all_[id]; }

 private:
  std::vector<Activity> all_;
  std::vector<std::uint32_t> free_;
};

/// SMs that an op takes from what its rank computes.
inline int sms_of(const Program& program, std::uint32_t number) {
  const Op& op = program.ops[number];
  return op.compute ? 0 : program.transfers[op.cost].sms;
}

/// Where a rank is in its program.
struct alignas(64) RankState {
  std::array<std::uint32_t, kStreams>
      next{};                 ///< op of each stream that has not ended, or kNoOp: all have
  std::uint16_t waiting = 0;  ///< streams, as bits, whose next op has not joined
  std::uint16_t woken = 0;    ///< of them those whose next op may be ready now
  std::array<std::uint16_t, kStreams>
      blocks{};             ///< of each stream: those that wait for its next op
  const Op* ops = nullptr;  ///< of the program, beside `order` for one step less to them
  const StreamOrder* order = nullptr;
  Span* spans = nullptr;

  void begin(const StreamOrder& its_order, Span* its_spans) {
    take(its_order);
    spans = its_spans;
    next = order->first;
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      if (next[stream] != kNoOp) waiting |= static_cast<std::uint16_t>(1U << stream);
    }
    woken = waiting;
  }
  void take(const StreamOrder& its_order) {
    order = &its_order;
    ops = order->program->ops.data();
  }
  [[nodiscard]] const Program& program() const { return *order->program; }
  [[nodiscard]] const Op& at(std::uint32_t op) const { return ops[op]; }
  [[nodiscard]] const OpLink& link(std::uint32_t op) const { return order->links.data()[op]; }
  [[nodiscard]] bool has_ended(std::uint32_t op) const { return next[stream_of(at(op))] > op; }
  /// Whether the next op of a stream can join; otherwise it is woken by what it waits for. What
  /// waits for kNoOp waits for nothing: one more is 0.
  [[nodiscard]] bool ready(std::uint32_t op, std::uint32_t stream_bit) {
    const std::array<std::uint32_t, 4>& after = at(op).after;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::uint8_t stream = link(op).after_stream[i];
      if (next[stream] >= after[i] + 1) continue;
      blocks[stream] |= static_cast<std::uint16_t>(stream_bit);
      return false;
    }
    return true;
  }
};
static_assert(kStreams <= 16, "streams are bits of 16");

/// A rank's place on one kind of group.
struct Seat {
  std::uint32_t group = 0;
  std::uint32_t joins = 0;  ///< how many of the group's activities the rank has joined
};

struct GroupState {
  std::uint32_t members = 0;
  std::uint32_t completed = 0;           ///< how many activities have started
  FlowNetwork::RouteId first_route = 0;  ///< of Group::links; those of its link sets follow
  std::uint32_t link_sets = 0;
  ShortList<std::uint32_t, 4> gathering;  ///< activities not yet complete, oldest first
};

}  // namespace simtrain::execution
