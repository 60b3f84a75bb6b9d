#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/collectives/transfer_cost.h"
#include "sim/workload/parallel/groups.h"

namespace simtrain {

/// How many times as long transfers may take where others share their links, for which it is
/// computed how much later a pass ends.
inline constexpr std::array kStretches{1.25, 1.5, 2.0, 3.0};
/// By place in kStretches.
using Delays = std::array<double, kStretches.size()>;

/// How a pass spends its time on the transfers inside it, as shares of it: they hold their links
/// for `held` and move for `moving` of that. `delay`: how much longer it takes where they are
/// stretched.
struct Duty {
  std::uint32_t kind = 0;  ///< below 32; transfers of unlike kinds come one after the other
  double held = 1;
  double moving = 1;
  Delays delay{};

  /// How much longer the pass takes when its transfers take `stretch` times as long: linear between
  /// the stretches that are known; beyond them nothing hides the transfers any more.
  [[nodiscard]] double slowdown(double stretch) const;
  /// The share of its time in which it then holds its links.
  [[nodiscard]] double holding(double stretch) const;
  bool operator==(const Duty&) const = default;
};

/// What the transfers inside a pass, or a part of one, do on one kind of group: how much they move
/// and for how long. On the level of the step, where the pass is one op, they come and go as one
/// flow that takes the links of `call`.
struct InnerTraffic {
  TransferCost call;    ///< the first; the others are counted as calls of its kind
  double wire = 0;      ///< bytes, of `call`
  double held_s = 0;    ///< in which they hold their links
  double moving_s = 0;  ///< of that, without latencies
  Delays delay_s{};     ///< by which the pass ends later

  /// Adds `times` of another's, counted as calls of this one's kind.
  void add(const InnerTraffic& other, double times);
  /// Bytes per second while they move.
  [[nodiscard]] double rate() const { return moving_s > 0 ? wire / moving_s : 0; }
  /// In a pass that takes so many seconds.
  [[nodiscard]] Duty duty(std::uint32_t kind, double pass_s) const;
};

/// By place in inner_kinds().
using PassTraffic = std::array<InnerTraffic, kInnerKinds>;

}  // namespace simtrain
