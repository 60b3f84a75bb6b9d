#include <algorithm>

#include "sim/collectives/libraries/nccl/algorithms/nccl_algorithm.h"
#include "sim/collectives/libraries/nccl/nccl_library.h"

namespace simtrain {
namespace {

/// Sends below 16 KiB a channel use LL (NVIDIA/nccl src/enqueue.cc).
constexpr double kLlPart = 16.0 * 1024;
constexpr double kNvlinkSlice = 256.0 * 1024;  ///< half of the 512 KiB chunk inside a domain

/// What one channel moves between NICs: a chunk, then its turn-around.
double network_channel_rate(const NcclEnvironment& environment, double nic, Duration turnaround) {
  const auto chunk = static_cast<double>(environment.settings.p2p_net_chunk.value.value());
  return chunk / (to_seconds(turnaround) + chunk / nic);
}

/// Messages to peers beyond the domain that a rank has on their way at once (NVIDIA/nccl
/// src/enqueue.cc).
constexpr double kAtOnce = 8;

/// What a chunk takes to come back: as between two ranks, or longer the more peers a rank has.
Duration turnaround(const FabricSpec& fabric, double peers) {
  const double share = (std::min(peers, kAtOnce) - 1) / (kAtOnce - 1);
  const double one = to_seconds(fabric.chunk_turnaround.value);
  return to_duration(one + share * (to_seconds(fabric.all_to_all_turnaround.value) - one));
}

TransferCost start_pair(Bytes bytes) {
  return start_cost({Collective::send_receive, bytes, {}}, Algorithm::direct, Protocol::simple);
}

TransferCost nvlink_pair(Bytes bytes, const ClusterSpec& cluster, int ranks) {
  TransferCost cost = start_pair(bytes);
  const NcclGpuSpec& nccl = cluster.gpu.nccl;
  const int channels = nvlink_pair_channels(cluster, ranks, bytes);
  const double size = static_cast<double>(bytes.value());
  const bool small = size <= kLlPart * channels;
  if (small) cost.protocol = Protocol::ll;
  cost.latency = small ? nccl.ll.base + nccl.ll.hop : nccl.pair.base;
  cost.limit = std::min(channels * nccl.channel_bandwidth.value.value(),
                        small ? nccl.ll.bandwidth.value() : nccl.simple.bandwidth.value());
  cost.load = {1, 0};
  cost.sms = channels;
  return cost;
}

/// Time in which a rank's messages to its peers in the domain are through: slices fill the channels
/// first, then all peers share channels and links.
double inside_seconds(const CollectiveRequest& request, const NcclEnvironment& environment,
                      double peers) {
  if (peers <= 0) return 0;
  const NcclGpuSpec& nccl = environment.cluster.gpu.nccl;
  const double part = static_cast<double>(request.bytes.value()) / request.layout.ranks;
  const int channels =
      nvlink_pair_channels(environment.cluster, request.layout.ranks, Bytes(std::llround(part)));
  const double slice = std::min(part / channels, kNvlinkSlice);
  const double channel = nccl.channel_bandwidth.value.value();
  const double rate = std::min(nccl.pair.bandwidth.value(), peers * channels * channel);
  return slice / channel + peers * part / rate;
}

bool direct_offers(const CollectiveRequest& request, const NcclEnvironment& /*environment*/,
                   Protocol protocol) {
  return protocol != Protocol::ll128 && (request.collective == Collective::all_to_all ||
                                         request.collective == Collective::send_receive);
}

TransferCost direct_cost(const CollectiveRequest& request, const NcclEnvironment& environment,
                         Protocol /*protocol*/) {
  return nccl_call(request, environment);
}

/// All-to-all: a message from each rank to each other. Send/receive as nccl-tests has it: every
/// rank sends its buffer to the next.
Schedule direct_schedule(Collective collective, const GroupShape& shape) {
  const int ranks = shape.ranks();
  const bool all = collective == Collective::all_to_all;
  Schedule schedule;
  schedule.parts = all ? ranks * ranks : ranks;
  schedule.share = all ? 1.0 / ranks : 1;
  for (int from = 0; from < ranks; ++from) {
    for (int step = 1; step < (all ? ranks : std::min(2, ranks)); ++step) {
      const int to = (from + step) % ranks;
      schedule.moves.push_back({from, to, all ? from * ranks + to : from, false});
    }
  }
  return schedule;
}

SentBytes direct_sent(Collective collective, double bytes, const GroupShape& shape, int rank) {
  const int ranks = shape.ranks();
  if (collective == Collective::all_to_all)
    return {bytes * (shape.per_domain - 1) / ranks, bytes * (ranks - shape.per_domain) / ranks};
  const bool leaves = shape.domains > 1 && rank % shape.per_domain == shape.per_domain - 1;
  if (ranks == 1) return {};
  return leaves ? SentBytes{0, bytes} : SentBytes{bytes, 0};
}

}  // namespace

NcclAlgorithm direct_row() {
  return {{Algorithm::direct, "messages from rank to rank; all-to-all, send and receive",
           direct_schedule, direct_sent},
          direct_offers,
          direct_cost};
}

TransferCost nccl_send_receive(Bytes bytes, Distance distance, const NcclEnvironment& environment,
                               int ranks) {
  const ClusterSpec& cluster = environment.cluster;
  if (distance == Distance::nvlink_domain || distance == Distance::same_gpu)
    return nvlink_pair(bytes, cluster, ranks);
  TransferCost cost = start_pair(bytes);
  const double nic = cluster.usable_nic_bandwidth().value();
  const int channels = network_pair_channels(environment, ranks);
  cost.latency = cluster.fabric.send_receive_latency.value + climb(cluster, distance);
  cost.limit = std::min(
      nic,
      channels * network_channel_rate(environment, nic, cluster.fabric.chunk_turnaround.value));
  cost.load = {0, 1};
  cost.sms = channels;
  return cost;
}

TransferCost nccl_all_to_all(const CollectiveRequest& request, const NcclEnvironment& environment) {
  const GroupLayout& layout = request.layout;
  const ClusterSpec& cluster = environment.cluster;
  const NcclGpuSpec& nccl = cluster.gpu.nccl;
  TransferCost cost = start_cost(request, Algorithm::direct, Protocol::simple);
  if (layout.ranks == 1) {
    set_time(cost, Duration(0), 0);
    return cost;
  }
  const double part = static_cast<double>(request.bytes.value()) / layout.ranks;
  const double near = layout.fewest_per_domain - 1;
  const double far = layout.ranks - layout.fewest_per_domain;
  cost.load = {near / (layout.ranks - 1), far / (layout.ranks - 1)};
  cost.sms = ring_graph(layout, environment).channels;
  const bool small = part <= kLlPart;
  if (small) cost.protocol = Protocol::ll;
  const Duration base = small ? nccl.ll.base + 2 * nccl.ll.hop : nccl.pair.base;
  const double inside = small ? (near + 1) * part / nccl.ll.bandwidth.value()
                              : inside_seconds(request, environment, near);
  if (layout.domains == 1) {
    set_time(cost, base, inside);
    return cost;
  }
  const double nic = cluster.usable_nic_bandwidth().value();
  const double channels = network_pair_channels(environment, layout.ranks) * std::min(far, kAtOnce);
  const FabricSpec& fabric = cluster.fabric;
  const Duration back = turnaround(fabric, far);
  const double rate = std::min(nic, channels * network_channel_rate(environment, nic, back));
  // The first chunk of each message is on its way before the next can follow; short messages go in
  // smaller chunks.
  const auto chunk = static_cast<double>(environment.settings.p2p_net_chunk.value.value());
  const double first = small ? 0 : std::min(1.0, part / (2 * chunk));
  const double more_batches = std::max(0.0, far / kAtOnce - 1);
  const Duration latency =
      fabric.send_receive_latency.value +
      to_duration(std::min(far, kAtOnce) * to_seconds(fabric.all_to_all_peer.value) +
                  more_batches * to_seconds(fabric.ll_hop.value) + first * to_seconds(back)) +
      layout.farthest_latency;
  set_time(cost, latency, std::max(inside, far * part / rate));
  return cost;
}

}  // namespace simtrain
