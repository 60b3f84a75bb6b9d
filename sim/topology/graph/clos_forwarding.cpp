#include "sim/topology/graph/clos_forwarding.h"

#include <utility>

#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {
namespace {

/// A switch by its place in the network.
struct ClosSwitch {
  VertexKind kind{};
  std::size_t block = 0;  ///< of a leaf or spine
  std::size_t index = 0;  ///< of a spine in its block, of a core
};

class ClosForwarding : public Forwarding {
 public:
  ClosForwarding(const ClusterGraph& graph, ClosShape shape)
      : graph_(graph), shape_(std::move(shape)) {}

  [[nodiscard]] bool reaches(std::size_t from, std::size_t leaf) const override {
    return from == leaf || hops(from, leaf) > 0;
  }

  [[nodiscard]] int hops(std::size_t from, std::size_t leaf) const override {
    if (from == leaf) return 0;
    const ClosSwitch here = place_of(from);
    if (here.kind == VertexKind::core) return 2;
    const int across = here.block == place_of(leaf).block ? 0 : 2;
    return (here.kind == VertexKind::spine ? 1 : 2) + across;
  }

  [[nodiscard]] Duration latency(std::size_t from, std::size_t leaf) const override {
    return hops(from, leaf) * shape_.hop;
  }

  [[nodiscard]] NextHops next(std::size_t from, std::size_t leaf) const override {
    const ClosSwitch here = place_of(from);
    const std::size_t goal = place_of(leaf).block;
    if (here.kind == VertexKind::leaf) {
      const std::size_t spine = shape_.first_spine[here.block];
      return {{upward(from), spine}, shape_.leaf_wires, 2, shape_.spines};
    }
    if (here.kind == VertexKind::core) {
      const std::size_t spine = shape_.first_spine[goal] + here.index;
      return {{upward(spine) + 1, spine}, shape_.spine_wires, 2, 1};
    }
    if (here.block != goal)
      return {{upward(from), shape_.first_core + here.index}, shape_.spine_wires, 2, 1};
    const int every = static_cast<int>(2 * shape_.spines);  // the leaf's wires to this spine
    const int first = upward(leaf) + 1 + 2 * static_cast<int>(here.index);
    return {{first, leaf}, shape_.leaf_wires / shape_.spines, every, 1};
  }

 private:
  [[nodiscard]] ClosSwitch place_of(std::size_t vertex) const {
    const Device& device = graph_[vertex];
    const int block =
        device.kind == VertexKind::leaf ? device.group / shape_.block_units : device.group;
    return {device.kind, static_cast<std::size_t>(block), static_cast<std::size_t>(device.index)};
  }

  /// The first link upward of a leaf or spine.
  [[nodiscard]] int upward(std::size_t vertex) const {
    return static_cast<int>(2 * shape_.first_wire[vertex - shape_.first_switch]);
  }

  const ClusterGraph& graph_;
  ClosShape shape_;
};

}  // namespace

std::unique_ptr<Forwarding> clos_forwarding(const ClusterGraph& graph, ClosShape shape) {
  return std::make_unique<ClosForwarding>(graph, std::move(shape));
}

}  // namespace simtrain
