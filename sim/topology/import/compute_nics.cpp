#include <algorithm>

#include <fmt/format.h>

#include "sim/topology/import/node_inventory.h"

namespace simtrain {
namespace {

/// Pairs GPUs and NICs one to one, augmenting one GPU at a time over pairs up to a nearness.
class Pairing {
 public:
  explicit Pairing(const NodeInventory& node)
      : node_(node), nic_of_(static_cast<std::size_t>(node.gpus)), gpu_of_(node.nics.size()) {}

  /// Pairs what can be paired so near, beside the pairs made before (their NICs may change).
  void extend(Nearness farthest) {
    for (std::size_t gpu = 0; gpu < nic_of_.size(); ++gpu) {
      if (nic_of_[gpu]) continue;
      std::vector<bool> tried(gpu_of_.size());
      static_cast<void>(pair(gpu, farthest, tried));
    }
  }

  [[nodiscard]] const std::vector<std::optional<std::size_t>>& nics() const { return nic_of_; }

 private:
  /// Gives the GPU a free NIC, or one whose GPU can take another; as deep as there are GPUs.
  [[nodiscard]] bool pair(std::size_t gpu, Nearness farthest, std::vector<bool>& tried) {
    const std::vector<std::size_t> near = near_enough(gpu, farthest);
    for (const bool taken : {false, true}) {
      for (const std::size_t nic : near) {
        if (tried[nic] || gpu_of_[nic].has_value() != taken) continue;
        tried[nic] = true;
        if (taken && !pair(*gpu_of_[nic], farthest, tried)) continue;
        nic_of_[gpu] = nic;
        gpu_of_[nic] = gpu;
        return true;
      }
    }
    return false;
  }

  /// The NICs up to a nearness, the nearest first, of equally near ones the fastest.
  [[nodiscard]] std::vector<std::size_t> near_enough(std::size_t gpu, Nearness farthest) const {
    std::vector<std::size_t> order;
    order.reserve(node_.nics.size());
    for (std::size_t nic = 0; nic < node_.nics.size(); ++nic) {
      if (node_.nics[nic].to_gpu[gpu] <= farthest) order.push_back(nic);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const FoundNic& one = node_.nics[a];
      const FoundNic& other = node_.nics[b];
      if (one.to_gpu[gpu] != other.to_gpu[gpu]) return one.to_gpu[gpu] < other.to_gpu[gpu];
      return one.speed.value_or(Bandwidth()).value() > other.speed.value_or(Bandwidth()).value();
    });
    return order;
  }

  const NodeInventory& node_;
  std::vector<std::optional<std::size_t>> nic_of_;  ///< by GPU
  std::vector<std::optional<std::size_t>> gpu_of_;  ///< by NIC
};

}  // namespace

std::vector<std::size_t> compute_nics(const NodeInventory& node) {
  Pairing pairing(node);
  for (const Nearness farthest : {Nearness::pix, Nearness::pxb, Nearness::phb}) {
    pairing.extend(farthest);
  }
  const auto paired = [&] {
    return std::count_if(pairing.nics().begin(), pairing.nics().end(),
                         [](const auto& nic) { return nic.has_value(); });
  };
  if (paired() == 0) pairing.extend(Nearness::node);
  if (paired() < node.gpus) {
    throw InputError(node.where, "",
                     fmt::format("{} of {} GPUs have a NIC of their own near them (PIX, PXB, PHB); "
                                 "a node file needs one for each",
                                 paired(), node.gpus));
  }
  std::vector<std::size_t> result;
  result.reserve(pairing.nics().size());
  for (const auto& nic : pairing.nics()) result.push_back(*nic);
  return result;
}

}  // namespace simtrain
