#include "sim/run/inner_traffic_of.h"

#include <algorithm>
#include <array>
#include <vector>

namespace simtrain {
namespace {

/// One rank's ops of a simulated piece.
class RankOps {
 public:
  RankOps(const Plan& plan, const Timeline& timeline, std::uint32_t rank)
      : program_(plan.programs[plan.ranks[rank].program]), timeline_(timeline), rank_(rank) {}

  [[nodiscard]] InnerTraffic traffic(GroupKind kind) const {
    InnerTraffic sum;
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
      if (!moves(op, kind)) continue;
      InnerTraffic one{.call = program_.transfers[program_.ops[op].cost]};
      one.wire = static_cast<double>(one.call.wire.value());
      one.held_s = length_s(op);
      one.moving_s = moving_s(op);
      sum.add(one, 1);
    }
    return sum;
  }

  /// How much later the rank ends where what it moves on a kind of group takes longer and all else
  /// as long as it did.
  [[nodiscard]] Delays delays(GroupKind kind) const {
    const double alone = end_s(kind, 1);
    Delays delays{};
    for (std::size_t i = 0; i < delays.size(); ++i)
      delays[i] = std::max(0.0, end_s(kind, kStretches[i]) - alone);
    return delays;
  }

 private:
  [[nodiscard]] bool moves(std::uint32_t op, GroupKind kind) const {
    return !program_.ops[op].compute && program_.ops[op].group == kind;
  }
  [[nodiscard]] double length_s(std::uint32_t op) const {
    const Span& span = timeline_.span(rank_, op);
    return to_seconds(span.end - span.start);
  }
  [[nodiscard]] double moving_s(std::uint32_t op) const {
    const TransferCost& call = program_.transfers[program_.ops[op].cost];
    return std::max(0.0, length_s(op) - to_seconds(call.latency));
  }

  /// The longest way through the rank's streams.
  [[nodiscard]] double end_s(GroupKind kind, double stretch) const {
    std::vector<double> ends;
    ends.reserve(program_.ops.size());
    std::array<double, kStreams> streams{};
    for (std::uint32_t index = 0; index < program_.ops.size(); ++index) {
      const Op& op = program_.ops[index];
      double& end = streams[static_cast<std::size_t>(op.stream)];
      for (const std::uint32_t after : op.after) {
        if (after != kNoOp) end = std::max(end, ends[after]);
      }
      end += length_s(index);
      if (moves(index, kind)) end += (stretch - 1) * moving_s(index);
      ends.push_back(end);
    }
    return *std::max_element(streams.begin(), streams.end());
  }

  const Program& program_;
  const Timeline& timeline_;
  std::uint32_t rank_;
};

}  // namespace

PassTraffic inner_traffic(const Plan& piece, const Timeline& timeline) {
  PassTraffic most{};
  for (std::uint32_t rank = 0; rank < piece.ranks.size(); ++rank) {
    const RankOps ops(piece, timeline, rank);
    for (std::size_t i = 0; i < most.size(); ++i) {
      InnerTraffic own = ops.traffic(kInnerKinds[i]);
      if (own.held_s <= most[i].held_s) continue;
      own.delay_s = ops.delays(kInnerKinds[i]);
      most[i] = own;
    }
  }
  return most;
}

}  // namespace simtrain
