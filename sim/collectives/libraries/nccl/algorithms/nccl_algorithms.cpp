#include <algorithm>
#include <array>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"

namespace simtrain {

std::span<const NcclAlgorithm> nccl_algorithms() {
  static const std::array rows{
      ring_row(),      tree_row(), collnet_direct_row(), collnet_chain_row(), nvls_row(),
      nvls_tree_row(), pat_row()};
  return rows;
}

double domain_network_rate(const GroupLayout& layout, const ClusterSpec& cluster, int channels) {
  return std::min(layout.fewest_per_domain * cluster.usable_nic_bandwidth().value(),
                  channels * cluster.fabric.channel_bandwidth.value.value());
}

Duration network_hop(const FabricSpec& fabric, Protocol protocol, Duration simple) {
  return protocol == Protocol::ll      ? fabric.ll_hop.value
         : protocol == Protocol::ll128 ? fabric.ll128_hop.value
                                       : simple;
}

Duration network_start(const GroupLayout& layout, const ClusterSpec& cluster, Protocol protocol) {
  return layout.domains == 1 || protocol == Protocol::ll ? Duration(0)
                                                         : cluster.fabric.collective_start.value;
}

}  // namespace simtrain
