#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace simtrain {

class Cluster;
class LinksByVertex;

/// A link to another GPU of a mesh.
struct PeerLink {
  int gpu = 0;
  int link = 0;
};

/// The links that only one GPU, or the GPUs of one NIC, use, both directions, by id. In a mesh a
/// link is that of the GPU that sends.
struct GpuLinks {
  std::span<const int> nvlink;  ///< to and from each NVLink switch plane, or to each peer of a mesh
  std::span<const PeerLink> peers;  ///< the latter with their ends
  std::span<const int>
      nic;  ///< to and from its NIC, and from there to the leaf (all users of a NIC)
};

/// Looks up which links are a GPU's own. A cluster has one of its own: Cluster::owners().
class LinkOwners {
 public:
  LinkOwners() = default;
  LinkOwners(const Cluster& cluster, const LinksByVertex& links);
  /// Valid as long as the cluster is.
  [[nodiscard]] GpuLinks of_gpu(int gpu) const;
  /// True for links between switches, which no GPU owns.
  [[nodiscard]] bool shared(int link) const { return shared_[static_cast<std::size_t>(link)]; }

 private:
  /// Where the links of a GPU begin in the lists below; they end where the next one's do.
  struct Begin {
    std::uint32_t nvlink = 0;
    std::uint32_t peer = 0;
    std::uint32_t nic = 0;
  };
  void add(const Cluster& cluster, const LinksByVertex& links, int gpu);

  std::vector<Begin> begins_;  ///< by GPU, and the end of the last
  std::vector<int> nvlink_;
  std::vector<PeerLink> peers_;
  std::vector<int> nic_;
  std::vector<bool> shared_;
};

}  // namespace simtrain
