#include "sim/topology/graph/wiring.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/topology/graph/clos_forwarding.h"
#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {
namespace {

/// Ports of one switch: 64 ports of 400 Gb/s (NVIDIA QM9700, SN5600 class).
constexpr int kSwitchPorts = 64;

/// A folded Clos network: leaves, spines of each block and, above several blocks, cores. Every leaf
/// reaches every spine of its block; core i joins spine i of all blocks.
class ClosBuilder {
 public:
  ClosBuilder(const ClusterSpec& spec, const std::vector<Host>& hosts, int rails,
              std::size_t first_nic, ClusterGraph& graph)
      : spec_(spec), hosts_(hosts), rails_(rails), first_nic_(first_nic), graph_(graph) {}

  std::unique_ptr<Forwarding> build() {
    const FabricSpec& fabric = spec_.fabric;
    const int units = hosts_.back().unit + 1;
    const int blocks = hosts_.back().block + 1;
    const int block_units =
        blocks > 1 ? fabric.nodes_per_block->value / fabric.nodes_per_unit.value : units;
    const double nics = fabric.nodes_per_unit.value * spec_.node.nics.value / double(rails_);
    const double uplinks = nics / fabric.oversubscription.value;
    const double upward = blocks > 1 ? 1 / fabric.core_oversubscription.value : 0;
    const double ports = block_units * rails_ * uplinks * (1 + upward);
    const int spines = spines_for(ports, uplinks);
    shape_.first_switch = shape_.first_core = graph_.devices.size();
    shape_.spines = static_cast<std::size_t>(spines);
    shape_.block_units = block_units;
    add(VertexKind::core, 0, blocks > 1 ? spines : 0, "core");
    for (int block = 0; block < blocks; ++block) {
      const std::size_t first_spine = graph_.devices.size();
      shape_.first_spine.push_back(first_spine);
      add(VertexKind::spine, block, spines,
          blocks > 1 ? "spine" + std::to_string(block) + "." : "spine");
      for (std::size_t i = 0; blocks > 1 && i < shape_.spines; ++i) {
        shape_.spine_wires = climb(first_spine + i, shape_.first_core + i, 1,
                                   block_units * rails_ * uplinks * upward / spines);
      }
      for (int unit = block * block_units; unit < std::min((block + 1) * block_units, units);
           ++unit) {
        for (int rail = 0; rail < rails_; ++rail)
          shape_.leaf_wires = climb(add_leaf(unit, rail), first_spine, spines, uplinks);
      }
    }
    connect_nics();
    return clos_forwarding(graph_, std::move(shape_));
  }

 private:
  /// Spines that have `ports` together, but no more than the `uplinks` of one leaf reach: where
  /// there would be, a spine represents a plane of several switches.
  static int spines_for(double ports, double uplinks) {
    const int needed = static_cast<int>(std::ceil(ports / kSwitchPorts));
    return std::clamp(needed, 1, std::max(1, static_cast<int>(uplinks)));
  }

  void add(VertexKind kind, int group, int number, const std::string& prefix) {
    for (int i = 0; i < number; ++i) {
      graph_.add_device({kind, group, i, prefix + std::to_string(i)});
    }
  }

  std::size_t add_leaf(int unit, int rail) {
    const std::string name =
        "leaf" + std::to_string(unit) + (rails_ > 1 ? "." + std::to_string(rail) : "");
    leaves_.push_back(graph_.add_device({VertexKind::leaf, unit, rail, name}));
    return leaves_.back();
  }

  /// Uplinks of one switch to all `above`, with equal bandwidth: one fat link to each or, where
  /// routing distinguishes cables, cables of about a NIC's rate. Returns how many.
  std::size_t climb(std::size_t below, std::size_t first_above, int above, double uplinks) {
    shape_.first_wire.resize(graph_.devices.size() - shape_.first_switch);
    shape_.first_wire[below - shape_.first_switch] =
        static_cast<std::uint32_t>(graph_.wires.size());
    const bool apart = spec_.fabric.routing.value == Routing::ecmp;
    const int cables = apart ? std::max(1, static_cast<int>(uplinks) / above) : 1;
    const Bandwidth each = spec_.node.nic_bandwidth.value * (uplinks / (above * cables));
    for (int i = 0; i < above * cables; ++i) {
      graph_.connect(below, first_above + static_cast<std::size_t>(i % above), each,
                     spec_.fabric.hop_latency());
    }
    shape_.hop = graph_.wires.back().latency;
    return static_cast<std::size_t>(above) * static_cast<std::size_t>(cables);
  }

  void connect_nics() {
    for (const Host& host : hosts_) {
      for (int nic = 0; nic < host.nics; ++nic) {
        const auto leaf = static_cast<std::size_t>(host.unit) * static_cast<std::size_t>(rails_) +
                          static_cast<std::size_t>(nic % rails_);
        graph_.connect(first_nic_ + static_cast<std::size_t>(host.first_nic + nic), leaves_[leaf],
                       spec_.usable_nic_bandwidth(), spec_.fabric.hop_latency());
      }
    }
  }

  const ClusterSpec& spec_;
  const std::vector<Host>& hosts_;
  int rails_;
  std::size_t first_nic_;
  ClusterGraph& graph_;
  std::vector<std::size_t> leaves_;  ///< by unit and rail
  ClosShape shape_;
};

std::unique_ptr<Forwarding> build_rail_optimized(const ClusterSpec& spec,
                                                 const std::vector<Host>& hosts,
                                                 std::size_t first_nic, ClusterGraph& graph) {
  return ClosBuilder(spec, hosts, spec.node.nics.value, first_nic, graph).build();
}

std::unique_ptr<Forwarding> build_fat_tree(const ClusterSpec& spec, const std::vector<Host>& hosts,
                                           std::size_t first_nic, ClusterGraph& graph) {
  return ClosBuilder(spec, hosts, 1, first_nic, graph).build();
}

}  // namespace

const std::vector<WiringRow>& wirings() {
  static const std::vector<WiringRow> rows{
      {"rail-optimized", Wiring::rail_optimized, build_rail_optimized,
       "a leaf switch per rail and unit, all leaves on all spines (DGX SuperPOD, GCP A4)"},
      {"fat-tree", Wiring::fat_tree, build_fat_tree,
       "one leaf switch per unit for all NICs of its hosts, no rails"}};
  return rows;
}

}  // namespace simtrain
