#include "sim/collectives/libraries/rccl/rccl_links.h"

#include <algorithm>

namespace simtrain {
namespace {

/// Of a link to one other GPU; of all links where switches join the GPUs.
double link_rate(const ClusterSpec& cluster) {
  const double all = cluster.gpu.nvlink.bandwidth.value.value();
  return cluster.node.is_mesh() ? all / std::max(1, cluster.node.gpus - 1) : all;
}

}  // namespace

RcclLinks rccl_links(const GroupLayout& layout, const ClusterSpec& cluster) {
  const double link = link_rate(cluster);
  if (!cluster.node.is_mesh()) return {link, link};
  return {std::max(1, layout.fewest_per_domain - 1) * link, link};
}

double rings_between_nodes(const GroupLayout& layout, const ClusterSpec& cluster, double share) {
  const int ranks = layout.fewest_per_domain;
  const int nics = cluster.node.nics.value * cluster.node.nvlink_domain_nodes.value;
  const double network = std::min(ranks, nics) * cluster.usable_nic_bandwidth().value();
  if (ranks == 1) return network;
  const double inside = cluster.node.is_mesh()
                            ? ranks * link_rate(cluster)
                            : link_rate(cluster) * ranks / static_cast<double>(ranks - 1);
  return std::min(network, inside * share);
}

}  // namespace simtrain
