#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/topology/specs/device.h"

namespace simtrain {

/// The devices of a cluster and the wires between them, as flat lists: a hundred thousand GPUs have
/// a million wires. Vertices are places in `devices`: all GPUs, then all NICs, both in host order,
/// NVLink switches, switches of the fabric.
///
/// A wire is two links: number 2 * wire from `a` to `b`, the next one back.
struct ClusterGraph {
  struct Wire {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    Bandwidth bandwidth;  ///< of either direction
    Duration latency{};
  };

  std::vector<Device> devices;
  std::vector<Wire> wires;

  [[nodiscard]] std::size_t links() const { return 2 * wires.size(); }
  [[nodiscard]] const Device& operator[](std::size_t vertex) const { return devices[vertex]; }
  [[nodiscard]] const Wire& wire_of(int link) const {
    return wires[static_cast<std::size_t>(link) / 2];
  }
  [[nodiscard]] std::size_t from(int link) const {
    return link % 2 == 0 ? wire_of(link).a : wire_of(link).b;
  }
  [[nodiscard]] std::size_t to(int link) const { return from(link ^ 1); }

  std::size_t add_device(Device device);
  /// Adds a wire whose latency is one picosecond at least, since nothing takes no time.
  void connect(std::size_t a, std::size_t b, Bandwidth bandwidth, Duration latency);
};

/// The links that leave each vertex, in the order in which they were wired. The link back is the
/// same with its last bit turned.
class LinksByVertex {
 public:
  LinksByVertex() = default;
  explicit LinksByVertex(const ClusterGraph& graph);
  [[nodiscard]] std::span<const int> out(std::size_t vertex) const {
    return std::span(links_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<int> links_;
};

}  // namespace simtrain
