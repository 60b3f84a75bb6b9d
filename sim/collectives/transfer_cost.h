#pragma once

#include "sim/collectives/names.h"
#include "sim/core/quantity.h"

namespace simtrain {

/// What a transfer puts on the links of each rank that takes part, per wire byte.
struct LinkLoad {
  double nvlink = 0;  ///< on the rank's NVLinks, each direction
  double nic = 0;     ///< on the rank's NIC, each direction
  friend bool operator==(const LinkLoad&, const LinkLoad&) = default;
};

/// How a call moves its data, ready for the executor: first `latency`, then `wire` bytes (bus
/// bytes, as nccl-tests counts them) as a flow that takes at most `limit`.
struct TransferCost {
  Collective collective{};
  Algorithm algorithm{};
  Protocol protocol{};
  Bytes bytes;
  Bytes wire;
  Duration latency{};
  double limit = 0;           ///< wire bytes per second, from channels, protocol and idle links
  LinkLoad load;              ///< what the flow takes of the links
  int sms = 0;                ///< streaming multiprocessors taken while it runs
  double memory_traffic = 0;  ///< HBM bytes moved per wire byte

  bool operator==(const TransferCost&) const = default;

  /// Time on an otherwise idle cluster whose links allow `link_rate` bytes per second.
  [[nodiscard]] Duration alone(double link_rate) const;
  [[nodiscard]] Duration alone() const { return alone(limit); }
};

}  // namespace simtrain
