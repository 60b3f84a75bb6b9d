#pragma once

#include "sim/collectives/library.h"

namespace simtrain::testing {

/// Settings of a library made up for tests: whatever is called, a ring that takes `latency` and
/// then its bus bytes at `rate`.
struct FixedRing {
  Duration latency = std::chrono::microseconds(10);
  Bandwidth rate{100e9};
};

inline TransferCost fixed_ring_cost(const CollectiveRequest& request,
                                    const LibraryEnvironment& environment) {
  const auto& settings = std::any_cast<const FixedRing&>(environment.library.settings);
  TransferCost cost = start_cost(request, Algorithm::ring, Protocol::simple);
  const bool alone = request.layout.ranks == 1;
  set_time(cost, alone ? Duration(0) : settings.latency,
           alone ? 0 : static_cast<double>(cost.wire.value()) / settings.rate.value());
  cost.sms = alone ? 0 : 1;
  return cost;
}

inline TransferCost fixed_ring_message(Bytes bytes, Distance /*distance*/,
                                       const LibraryEnvironment& environment, int ranks) {
  CollectiveRequest request{Collective::send_receive, bytes, {}};
  request.layout.ranks = ranks;
  return fixed_ring_cost(request, environment);
}

inline const LibraryRow& fixed_ring_row() {
  static constexpr LibraryRow row{
      "fixed-ring",
      "made up for tests: a fixed latency, then a fixed rate",
      [] { return std::vector<AlgorithmRow>{}; },
      [] { return std::any(FixedRing{}); },
      [](const std::any& /*settings*/) { return std::vector<LibrarySwitch>{}; },
      [](const TransferCost& cost) {
        return "fixed_ring_" + std::string(name_of(cost.collective));
      },
      fixed_ring_cost,
      fixed_ring_message};
  return row;
}

}  // namespace simtrain::testing
