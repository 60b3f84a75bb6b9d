#pragma once

#include <string>
#include <vector>

#include "sim/output/html/picture.h"
#include "sim/topology/cluster_map.h"

namespace simtrain {

/// A box that wires can end at: above (`top`) or below (`bottom`) it.
struct WireEnd {
  double x = 0;
  double width = 0;
  double top = 0;
  double bottom = 0;
  std::string style;  ///< of its wires; empty where it leaves that to the other end
  std::string name;
  bool bar = false;  ///< wide enough for its wires to be upright
};

/// All cables between two boxes.
struct WireBundle {
  std::size_t low = 0;
  std::size_t high = 0;
  int cables = 0;
  Bandwidth bandwidth;  ///< of all of them together, one direction
};

constexpr std::size_t kNotDrawn = static_cast<std::size_t>(-1);

/// `end_of` is the box of each device, or kNotDrawn. Cables inside a box are left out.
std::vector<WireBundle> wire_bundles(const ClusterMap& map, const std::vector<std::size_t>& end_of);

/// Curves for the bundles, spread along the boxes so that they cross little.
std::vector<PictureWire> draw_wires(const std::vector<WireBundle>& bundles,
                                    const std::vector<WireEnd>& ends);

}  // namespace simtrain
