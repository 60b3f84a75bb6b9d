#pragma once

#include <cstdint>
#include <vector>

#include "sim/topology/graph/forwarding.h"

namespace simtrain {

/// What a folded Clos network needs to be known by: every leaf of a block reaches each of its
/// spines, spine i of every block core i, all by as many cables of one latency, which follow one
/// another and go to the switches above in turn.
struct ClosShape {
  std::size_t first_switch = 0;  ///< vertex of the first
  std::size_t first_core = 0;    ///< the same, of the cores; of a block's spines: `first_spine`
  std::vector<std::size_t> first_spine;   ///< by block
  std::vector<std::uint32_t> first_wire;  ///< by switch from the first on: its first one upward
  std::size_t spines = 0;                 ///< of a block
  std::size_t leaf_wires = 0;             ///< upward from a leaf
  std::size_t spine_wires = 0;            ///< upward from a spine
  int block_units = 0;                    ///< a leaf's unit over this is its block
  Duration hop{};                         ///< latency of a link between switches
};

/// Forwarding of a folded Clos network from its shape, without tables: equal to forwarding_tables()
/// where no link between switches is without bandwidth.
std::unique_ptr<Forwarding> clos_forwarding(const ClusterGraph& graph, ClosShape shape);

}  // namespace simtrain
