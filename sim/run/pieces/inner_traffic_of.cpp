#include "sim/run/pieces/inner_traffic_of.h"

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
    double longest_s = 0;  // its call counts
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
      if (!moves(op, kind) || length_s(op) <= longest_s) continue;
      longest_s = length_s(op);
      sum.call = program_.transfers[program_.ops[op].cost];
    }
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
      if (moves(op, kind)) sum.add(traffic_of(op), 1);
    }
    return sum;
  }

  /// The rank's transfers on a kind of group one by one, as calls of `like`.
  void add_bursts(std::size_t kind, const TransferCost& like, std::vector<Burst>& bursts) const {
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
      if (!moves(op, inner_kinds()[kind])) continue;
      const InnerTraffic own = traffic_of(op);
      InnerTraffic counted{.call = like};
      counted.add(own, 1);
      if (counted.rate() <= 0) continue;
      bursts.push_back({static_cast<std::uint8_t>(kind),
                        static_cast<std::uint8_t>(program_.ops[op].stream),
                        to_seconds(timeline_.span(rank_, op).start), needed_s(op), own.call.latency,
                        own.wire, own.rate(), counted.wire / own.wire});
    }
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

  [[nodiscard]] InnerTraffic traffic_of(std::uint32_t transfer) const {
    InnerTraffic one{.call = program_.transfers[program_.ops[transfer].cost]};
    one.wire = static_cast<double>(one.call.wire.value());
    one.held_s = length_s(transfer);
    one.moving_s = moving_s(transfer);
    return one;
  }
  /// When the first kernel starts that waits for a transfer, or the piece ends.
  [[nodiscard]] double needed_s(std::uint32_t transfer) const {
    Duration needed = timeline_.end;
    for (std::uint32_t op = transfer + 1; op < program_.ops.size(); ++op) {
      const std::array<std::uint32_t, 4>& after = program_.ops[op].after;
      if (!program_.ops[op].compute) continue;
      if (std::find(after.begin(), after.end(), transfer) != after.end())
        needed = std::min(needed, timeline_.span(rank_, op).start);
    }
    return to_seconds(needed);
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

constexpr std::uint32_t kNobody = 0xffffffffU;

/// By kind, the rank whose transfers hold their links longest; kNobody where none moves anything.
std::array<std::uint32_t, kInnerKinds> busiest_ranks(const Plan& piece, const Timeline& timeline) {
  std::array<std::uint32_t, kInnerKinds> ranks{};
  ranks.fill(kNobody);
  std::array<double, kInnerKinds> longest{};
  for (std::uint32_t rank = 0; rank < piece.ranks.size(); ++rank) {
    const RankOps ops(piece, timeline, rank);
    for (std::size_t kind = 0; kind < kInnerKinds; ++kind) {
      const double held_s = ops.traffic(inner_kinds()[kind]).held_s;
      if (held_s <= longest[kind]) continue;
      longest[kind] = held_s;
      ranks[kind] = rank;
    }
  }
  return ranks;
}

}  // namespace

PassTraffic inner_traffic(const Plan& piece, const Timeline& timeline) {
  PassTraffic most{};
  const auto ranks = busiest_ranks(piece, timeline);
  for (std::size_t kind = 0; kind < most.size(); ++kind) {
    if (ranks[kind] == kNobody) continue;
    const RankOps ops(piece, timeline, ranks[kind]);
    most[kind] = ops.traffic(inner_kinds()[kind]);
    most[kind].delay_s = ops.delays(inner_kinds()[kind]);
  }
  return most;
}

std::vector<Burst> bursts_of(const Plan& piece, const Timeline& timeline,
                             const PassTraffic& calls) {
  std::vector<Burst> bursts;
  const auto ranks = busiest_ranks(piece, timeline);
  for (std::size_t kind = 0; kind < calls.size(); ++kind) {
    if (ranks[kind] != kNobody)
      RankOps(piece, timeline, ranks[kind]).add_bursts(kind, calls[kind].call, bursts);
  }
  std::stable_sort(bursts.begin(), bursts.end(), [](const Burst& one, const Burst& other) {
    return one.start_s < other.start_s;
  });
  return bursts;
}

}  // namespace simtrain
