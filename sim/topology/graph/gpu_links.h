#pragma once

#include <vector>

namespace simtrain {

class Cluster;

/// A link to another GPU of a mesh.
struct PeerLink {
  int gpu = 0;
  int link = 0;
};

/// The links that only one GPU, or the GPUs of one NIC, use, both directions, by id. In a mesh a
/// link is that of the GPU that sends.
struct GpuLinks {
  std::vector<int> nvlink;      ///< to and from each NVLink switch plane, or to each peer of a mesh
  std::vector<PeerLink> peers;  ///< the latter with their ends
  std::vector<int> nic;  ///< to and from its NIC, and from there to the leaf (all users of a NIC)
};

/// Looks up which links are a GPU's own. A cluster has one of its own: Cluster::owners().
class LinkOwners {
 public:
  LinkOwners() = default;
  explicit LinkOwners(const Cluster& cluster);
  [[nodiscard]] const GpuLinks& of_gpu(int gpu) const {
    return gpus_[static_cast<std::size_t>(gpu)];
  }
  /// True for links between switches, which no GPU owns.
  [[nodiscard]] bool shared(int link) const { return shared_[static_cast<std::size_t>(link)]; }

 private:
  std::vector<GpuLinks> gpus_;
  std::vector<bool> shared_;
};

}  // namespace simtrain
