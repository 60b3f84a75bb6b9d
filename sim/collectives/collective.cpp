#include "sim/collectives/collective.h"

#include <algorithm>
#include <cmath>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

constexpr std::array kNcclProtocols{Protocol::ll, Protocol::ll128, Protocol::simple};

/// Share of the bandwidth that is payload: 4 of 8 bytes in LL, 120 of 128 in LL128, of which NCCL's
/// tuning counts 0.92 (NVIDIA/nccl src/graph/tuning.cc).
double payload_share(Protocol protocol) {
  return protocol == Protocol::ll ? 0.5 : protocol == Protocol::ll128 ? 0.92 : 1.0;
}

/// HBM bytes per bus byte: a rank reads what it sends and writes what it receives; a reduction
/// reads its own part too.
double memory_traffic(Collective collective) {
  return collective == Collective::all_gather || collective == Collective::send_receive ? 2.0 : 2.5;
}

Duration domain_hop(const NcclGpuSpec& nccl, Protocol protocol) {
  return protocol == Protocol::ll      ? nccl.ll_hop.value
         : protocol == Protocol::ll128 ? nccl.ll128_hop.value
                                       : nccl.simple_hop.value;
}

Duration network_hop(const FabricSpec& fabric, Protocol protocol) {
  return protocol == Protocol::ll      ? fabric.ll_hop.value
         : protocol == Protocol::ll128 ? fabric.ll128_hop.value
                                       : fabric.simple_hop.value;
}

TransferCost start(const CollectiveRequest& request, Algorithm algorithm, Protocol protocol) {
  TransferCost cost;
  cost.collective = request.collective;
  cost.algorithm = algorithm;
  cost.protocol = protocol;
  cost.bytes = request.bytes;
  cost.wire = bus_bytes(request.collective, request.bytes, request.layout.ranks);
  cost.memory_traffic = memory_traffic(request.collective);
  return cost;
}

/// What the links allow a ring that enters and leaves each domain over all the NICs of its ranks.
double ring_link_rate(const GroupLayout& layout, const ClusterSpec& cluster) {
  if (layout.domains == 1) return cluster.gpu.nccl.ring_bandwidth.value.value();
  return layout.ranks_per_domain() * cluster.usable_nic_bandwidth().value();
}

bool ring_offers(const CollectiveRequest& /*request*/, const NcclEnvironment& /*environment*/,
                 Protocol /*protocol*/) {
  return true;
}

/// base + (hops in domains) * hop + (hops between) * network hop; twice round for an all-reduce.
TransferCost ring_cost(const CollectiveRequest& request, const NcclEnvironment& environment,
                       Protocol protocol) {
  const GroupLayout& layout = request.layout;
  const NcclGpuSpec& nccl = environment.cluster.gpu.nccl;
  TransferCost cost = start(request, Algorithm::ring, protocol);
  const int rounds = request.collective == Collective::all_reduce ? 2 : 1;
  const int between = std::max(0, layout.network_hops - 1);
  const int within = layout.ranks - 1 - between;
  cost.latency =
      nccl.base_latency.value +
      rounds * (within * domain_hop(nccl, protocol) +
                between * network_hop(environment.cluster.fabric, protocol) + layout.far_latency);
  cost.limit = payload_share(protocol) * std::min(nccl.ring_bandwidth.value.value(),
                                                  ring_link_rate(layout, environment.cluster));
  cost.sms = layout.domains == 1 ? nccl.ring_channels.value : nccl.network_channels.value;
  return cost;
}

bool tree_offers(const CollectiveRequest& request, const NcclEnvironment& /*environment*/,
                 Protocol /*protocol*/) {
  return request.collective == Collective::all_reduce && request.layout.domains > 1;
}

/// base + 2 * ((ranks in a domain - 1) * hop + log2(domains) * network hop): up and down again.
TransferCost tree_cost(const CollectiveRequest& request, const NcclEnvironment& environment,
                       Protocol protocol) {
  const GroupLayout& layout = request.layout;
  const ClusterSpec& cluster = environment.cluster;
  TransferCost cost = start(request, Algorithm::tree, protocol);
  const auto within = static_cast<std::int64_t>(std::ceil(layout.ranks_per_domain())) - 1;
  const auto levels = static_cast<std::int64_t>(std::ceil(std::log2(layout.domains)));
  const Duration up =
      within * domain_hop(cluster.gpu.nccl, protocol) +
      levels * (network_hop(cluster.fabric, protocol) + cluster.fabric.level_latency());
  cost.latency = cluster.gpu.nccl.base_latency.value + 2 * up;
  // NCCL's tuning counts a tree at 0.92 of the ring, LL at 1/3.8 and LL128 at 120/128 of that.
  const double share = protocol == Protocol::ll      ? 1 / 3.8
                       : protocol == Protocol::ll128 ? 120.0 / 128
                                                     : 1.0;
  cost.limit =
      0.92 * share *
      std::min(cluster.gpu.nccl.ring_bandwidth.value.value(), ring_link_rate(layout, cluster));
  cost.sms = cluster.gpu.nccl.network_channels.value;
  return cost;
}

bool nvls_offers(const CollectiveRequest& request, const NcclEnvironment& environment,
                 Protocol protocol) {
  return environment.settings.nvls.value && protocol == Protocol::simple &&
         request.collective == Collective::all_reduce && request.layout.domains == 1 &&
         environment.cluster.gpu.architecture != Architecture::ampere;
}

/// One trip to the NVLink switch, which reduces and multicasts; 25 us before the first byte is
/// through (NVIDIA/nccl src/graph/tuning.cc, NVLS latency from 2.21 on).
TransferCost nvls_cost(const CollectiveRequest& request, const NcclEnvironment& environment,
                       Protocol protocol) {
  constexpr Duration kNvlsLatency = std::chrono::microseconds(25);
  TransferCost cost = start(request, Algorithm::nvls, protocol);
  const NcclGpuSpec& nccl = environment.cluster.gpu.nccl;
  cost.latency = nccl.base_latency.value + kNvlsLatency;
  cost.limit = nccl.nvls_bandwidth.value.value();
  cost.sms = nccl.nvls_channels.value;
  return cost;
}

}  // namespace

Duration TransferCost::alone(double link_rate) const {
  return latency + wire / Bandwidth(std::min(limit, link_rate));
}

const std::array<AlgorithmRow, 3>& algorithm_rows() {
  static const std::array<AlgorithmRow, 3> rows{{
      {Algorithm::ring, "every rank passes on to the next; all collectives", ring_offers,
       ring_cost},
      {Algorithm::tree, "chains inside a domain, a binary tree between; all-reduce", tree_offers,
       tree_cost},
      {Algorithm::nvls, "reduction in the NVLink switch; all-reduce in one domain", nvls_offers,
       nvls_cost},
  }};
  return rows;
}

Bytes bus_bytes(Collective collective, Bytes bytes, int ranks) {
  if (collective == Collective::send_receive) return bytes;
  const int rounds = collective == Collective::all_reduce ? 2 : 1;
  return Bytes(bytes.value() * rounds / ranks * (ranks - 1) +
               bytes.value() * rounds % ranks * (ranks - 1) / ranks);
}

TransferCost plan_collective(const CollectiveRequest& request, const NcclEnvironment& environment) {
  invariant(request.layout.ranks > 0, "a group has ranks");
  TransferCost best = ring_cost(request, environment, Protocol::simple);
  if (request.layout.ranks == 1) {
    best.latency = Duration(0);
    return best;
  }
  for (const AlgorithmRow& row : algorithm_rows()) {
    for (const Protocol protocol : kNcclProtocols) {
      if (!row.offers(request, environment, protocol)) continue;
      const TransferCost cost = row.cost(request, environment, protocol);
      if (cost.alone(cost.limit) < best.alone(best.limit)) best = cost;
    }
  }
  return best;
}

TransferCost plan_send_receive(Bytes bytes, Distance distance, const NcclEnvironment& environment) {
  const ClusterSpec& cluster = environment.cluster;
  TransferCost cost;
  cost.collective = Collective::send_receive;
  cost.algorithm = Algorithm::direct;
  cost.protocol = Protocol::simple;
  cost.bytes = bytes;
  cost.wire = bytes;
  cost.memory_traffic = memory_traffic(Collective::send_receive);
  if (distance == Distance::nvlink_domain || distance == Distance::same_gpu) {
    // A pair of ranks opens up to 16 of its channels inside a domain (NVIDIA/nccl src/enqueue.cc).
    constexpr int kPairChannels = 16;
    const NcclGpuSpec& nccl = cluster.gpu.nccl;
    cost.latency = nccl.base_latency.value + nccl.simple_hop.value;
    cost.limit = std::min(kPairChannels * nccl.channel_bandwidth.value.value(),
                          nccl.ring_bandwidth.value.value());
    cost.sms = kPairChannels;
    return cost;
  }
  const double chunk = static_cast<double>(environment.settings.p2p_net_chunk.value.value());
  const double nic = cluster.usable_nic_bandwidth().value();
  const double channel = chunk / (to_seconds(cluster.fabric.chunk_turnaround.value) + chunk / nic);
  const int channels = environment.settings.p2p_channels_per_peer.value;
  cost.latency = cluster.fabric.send_receive_latency.value +
                 (distance >= Distance::block ? cluster.fabric.level_latency() : Duration(0));
  cost.limit = std::min(nic, channels * channel);
  cost.sms = channels;
  return cost;
}

}  // namespace simtrain
