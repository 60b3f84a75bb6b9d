#pragma once

#include "tests/ns3/traffic.h"

namespace simtrain::testing {

/// What stands between the senders of a case and its wires.
enum class Fabric {
  /// Lossless and fair: a queue for each flow at each port, served in turn, under windows that no
  /// queue overflows by. What credits and back-pressure by flow make of a network, and what fluid
  /// flows stand for (Hahne, Round-robin scheduling for max-min fairness in data networks, 1991).
  fair_queues,
  /// One queue a port that marks packets beyond a length, and senders that slow down by the share
  /// of
  /// marked packets: DCTCP, on which DCQCN of RoCE is modelled.
  marking,
};

/// Simulates the case in ns-3, packet by packet.
SendTimes packet_times(const TrafficCase& one, Fabric fabric);

}  // namespace simtrain::testing
