#include <algorithm>

#include "sim/collectives/libraries/rccl/rccl_algorithms.h"
#include "sim/collectives/libraries/rccl/rccl_links.h"

namespace simtrain {
namespace {

/// Messages up to this size use LL, as in NCCL, of which RCCL is a branch (src/enqueue.cc).
constexpr std::int64_t kLlMessage = 16 << 10;
/// Peers beyond the node that a rank sends to at once, as in NCCL.
constexpr int kPeersAtOnce = 8;

}  // namespace

TransferCost rccl_all_to_all(const CollectiveRequest& request, const RcclEnvironment& environment) {
  const GroupLayout& layout = request.layout;
  const ClusterSpec& cluster = environment.cluster;
  const double part = static_cast<double>(request.bytes.value()) / layout.ranks;
  const bool small = part <= static_cast<double>(kLlMessage);
  const Protocol protocol = small ? Protocol::ll : Protocol::simple;
  const RcclProtocolSpec& spec = environment.gpu().protocol(static_cast<std::size_t>(protocol));
  TransferCost cost = start_cost(request, Algorithm::direct, protocol);
  const double near = layout.fewest_per_domain - 1;
  const double far = layout.ranks - layout.fewest_per_domain;
  const double inside = near * part / (rccl_links(layout, cluster).all * spec.link_share);
  const double sharing = std::max(
      1.0, layout.fewest_per_domain / static_cast<double>(cluster.node.nics.value *
                                                          cluster.node.nvlink_domain_nodes.value));
  const double outside = far * part * sharing / cluster.usable_nic_bandwidth().value();
  Duration latency = spec.base + spec.hop;
  if (far > 0)
    latency =
        cluster.fabric.send_receive_latency.value + layout.farthest_latency +
        to_duration(
            std::min<double>(far, kPeersAtOnce) * to_seconds(cluster.fabric.all_to_all_peer.value) +
            std::max(0.0, far / kPeersAtOnce - 1) * to_seconds(cluster.fabric.ll_hop.value));
  set_time(cost, latency, std::max(inside, outside));
  cost.load = {near / (layout.ranks - 1), far / (layout.ranks - 1)};
  cost.sms = environment.gpu().channels_per_link.value * std::max(1, layout.fewest_per_domain - 1);
  return cost;
}

TransferCost rccl_send_receive(Bytes bytes, Distance distance, const RcclEnvironment& environment,
                               const GroupLayout& layout) {
  const ClusterSpec& cluster = environment.cluster;
  const bool inside = distance <= Distance::nvlink_domain;
  const bool small = inside && bytes.value() <= kLlMessage;
  const Protocol protocol = small ? Protocol::ll : Protocol::simple;
  const RcclProtocolSpec& spec = environment.gpu().protocol(static_cast<std::size_t>(protocol));
  TransferCost cost =
      start_cost({Collective::send_receive, bytes, layout}, Algorithm::direct, protocol);
  cost.sms = environment.gpu().channels_per_link.value;
  if (inside) {
    cost.latency = spec.base + spec.hop;
    cost.limit = rccl_links(layout, cluster).message * spec.link_share;
    cost.load = {1, 0};
  } else {
    cost.latency = cluster.fabric.send_receive_latency.value + climb(cluster, distance);
    cost.limit = cluster.usable_nic_bandwidth().value();
    cost.load = {0, 1};
  }
  return cost;
}

}  // namespace simtrain
