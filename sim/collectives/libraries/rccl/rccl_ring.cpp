#include <algorithm>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"
#include "sim/collectives/libraries/rccl/rccl_algorithms.h"
#include "sim/collectives/libraries/rccl/rccl_links.h"

namespace simtrain {
namespace {

/// The steps of a ring that leave a node, one round.
Duration network_steps(const GroupLayout& layout, const ClusterSpec& cluster, Protocol protocol,
                       int between) {
  if (between == 0) return Duration(0);
  return between * network_hop(cluster.fabric, protocol, cluster.fabric.simple_hop.value) +
         between * layout.far_latency / layout.network_hops +
         network_start(layout, cluster, protocol);
}

}  // namespace

TransferCost rccl_ring(const CollectiveRequest& request, const RcclEnvironment& environment,
                       Protocol protocol) {
  const GroupLayout& layout = request.layout;
  const ClusterSpec& cluster = environment.cluster;
  const RcclProtocolSpec& spec = environment.gpu().protocol(static_cast<std::size_t>(protocol));
  TransferCost cost = start_cost(request, Algorithm::ring, protocol);
  const bool one_node = layout.domains == 1;
  const int rounds = request.collective == Collective::all_reduce ? 2 : 1;
  const int between = std::min(layout.network_hops, layout.ranks - 1);
  const int inside = layout.ranks - 1 - between;
  const double rate = one_node ? rccl_links(layout, cluster).all * spec.link_share
                               : rings_between_nodes(layout, cluster, spec.link_share);
  // Beyond a node the share is that of the protocol against Simple, which reaches the NICs' rate.
  const double share = one_node ? 1 : spec.link_share / environment.gpu().simple.link_share;
  set_time(
      cost,
      spec.base + rounds * (inside * spec.hop + network_steps(layout, cluster, protocol, between)),
      static_cast<double>(cost.wire.value()) / (rate * std::min(1.0, share)));
  cost.load = busiest_load(ring_row(), request);
  cost.sms = environment.gpu().channels_per_link.value *
             (one_node ? layout.ranks - 1 : layout.fewest_per_domain);
  return cost;
}

}  // namespace simtrain
