#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "sim/core/yaml_reader.h"
#include "sim/topology/cluster.h"

namespace simtrain {

enum class PlacementKind { compact };

template <>
struct EnumNames<PlacementKind> {
  static constexpr std::array rows{std::pair{std::string_view("compact"), PlacementKind::compact}};
};

/// Which GPU each rank runs on.
struct Placement {
  std::vector<int> gpu_of_rank;
  [[nodiscard]] int gpu(int rank) const { return gpu_of_rank[static_cast<std::size_t>(rank)]; }
  /// The GPUs of some ranks, in their order.
  [[nodiscard]] std::vector<int> gpus(const std::vector<int>& ranks) const;
};

/// compact: ranks fill node after node, units one after the other.
Placement place(const Cluster& cluster, PlacementKind kind);

}  // namespace simtrain
