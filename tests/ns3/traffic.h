#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/quantity.h"

namespace simtrain::testing {

/// A wire between two nodes, as fast in either direction.
struct Wire {
  int from = 0;
  int to = 0;
  double gbit = 0;  ///< 10^9 bits per second, of whole packets
};

/// Hosts and switches, numbered as wires name them, and the wires: a tree, so that data has one
/// way.
struct Network {
  int nodes = 0;
  std::vector<Wire> wires;
};

/// A packet on a wire: what it carries, and with headers (PPP 2, IP 20, TCP with timestamps 32).
inline constexpr int kPayloadBytes = 4096;
inline constexpr int kPacketBytes = kPayloadBytes + 54;
/// From one end of a wire to the other.
inline constexpr Duration kWireDelay = std::chrono::nanoseconds(500);
/// A slot of NCCL's buffers (4 MiB, 8 slots), by which a ring goes around again and again, however
/// much there is to reduce.
inline constexpr std::int64_t kNcclSlot = 512 * 1024;

/// One who sends again and again: computes, then sends, `steps` times. Between two hosts the first
/// sends to the second. More are a ring, as of an all-reduce, around which all send at once: a
/// chunk, and beyond it what has come from the host before. So a hop may be ahead of the next by a
/// chunk.
struct Traffic {
  std::vector<int> hosts;
  std::int64_t bytes = 0;  ///< that each who sends sends in a step
  Duration start{};
  Duration computes{};
  int steps = 1;
  std::int64_t chunk = kNcclSlot;  ///< of a ring

  [[nodiscard]] bool ring() const { return hosts.size() > 2; }
  [[nodiscard]] std::int64_t at_once() const { return ring() ? chunk : bytes; }
  /// Connections: the i-th is from the i-th host to the one after it.
  [[nodiscard]] std::size_t connections() const { return ring() ? hosts.size() : 1; }
  [[nodiscard]] std::size_t after(std::size_t host) const { return (host + 1) % hosts.size(); }
};

struct TrafficCase {
  std::string name;
  Network network;
  std::vector<Traffic> traffic;
};

/// How long sending took: seconds, by traffic and step.
using SendTimes = std::vector<std::vector<double>>;

}  // namespace simtrain::testing
