#include <algorithm>
#include <cmath>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"
#include "sim/collectives/libraries/nccl/nccl_library.h"

namespace simtrain {
namespace {

constexpr double kDirectKiB = 1024;
constexpr double kLlPart = 16 * kDirectKiB;  ///< of each channel, up to which a message uses LL
constexpr double kNvlinkChunk = 512 * kDirectKiB;  ///< inside a domain (NVIDIA/nccl src/enqueue.cc)
/// Of the rate that a channel of a collective reaches with LL: senders and receivers share its
/// warps. Fitted on B200, the same on H100 and A100.
constexpr double kLlShare = 0.54;

/// The largest message in one domain that uses LL. Up to 2.28 NCCL counts all channels that a pair
/// may have, whichever it takes; from 2.29 on curves change at 16 KiB.
double largest_ll(const NcclEnvironment& environment) {
  const int most = environment.cluster.gpu.nccl.pair_channels.value;
  return environment.settings.version.value < NcclVersion{2, 29, 0} ? most * kLlPart : kLlPart;
}

/// What one channel of a message moves with LL inside a domain, in bytes per second.
double ll_channel_rate(const NcclEnvironment& environment, int ranks) {
  GroupLayout domain;
  domain.ranks = ranks;
  const int channels = ring_graph(domain, environment).channels;
  return kLlShare * environment.cluster.gpu.nccl.ll.bandwidth.value() / channels;
}

/// What two limits leave that hold at once: the lesser where they differ, an eighth less where they
/// are equal. Fitted on all-to-alls of one and two channels a peer.
double both(double one, double other) {
  constexpr double kNorm = 5;
  return std::pow(std::pow(one, -kNorm) + std::pow(other, -kNorm), -1 / kNorm);
}

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

TransferCost nvlink_pair(Bytes bytes, const NcclEnvironment& environment, int ranks) {
  TransferCost cost = start_pair(bytes);
  const NcclGpuSpec& nccl = environment.cluster.gpu.nccl;
  cost.load = {1, 0};
  if (static_cast<double>(bytes.value()) <= largest_ll(environment)) {
    cost.protocol = Protocol::ll;
    cost.sms = nvlink_pair_channels(environment.cluster, ranks, Bytes(0));
    cost.latency = nccl.ll.base + nccl.ll.hop;
    cost.limit = cost.sms * ll_channel_rate(environment, std::max(2, ranks));
    return cost;
  }
  cost.sms = nvlink_pair_channels(environment.cluster, ranks, bytes);
  cost.latency = nccl.pair.base;
  cost.limit =
      std::min(cost.sms * nccl.channel_bandwidth.value.value(), nccl.pair.bandwidth.value());
  return cost;
}

/// Time in which a rank's messages to its peers in the domain are through. With Simple a channel's
/// first chunk fills before the next can follow, the shorter the message the less of a chunk; then
/// all peers share channels and links.
double inside_seconds(const CollectiveRequest& request, const NcclEnvironment& environment,
                      double peers, bool small) {
  if (peers <= 0) return 0;
  const NcclGpuSpec& nccl = environment.cluster.gpu.nccl;
  const int ranks = request.layout.ranks;
  const double part = static_cast<double>(request.bytes.value()) / ranks;
  const int channels =
      nvlink_pair_channels(environment.cluster, ranks, Bytes(small ? 0 : std::llround(part)));
  if (small) return part / (channels * ll_channel_rate(environment, ranks));
  const double own = part / channels;
  const double chunk = own * kNvlinkChunk / (own + kNvlinkChunk);
  const double channel = nccl.channel_bandwidth.value.value();
  return chunk / channel +
         peers * part / std::min(nccl.pair.bandwidth.value(), peers * channels * channel);
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
    return nvlink_pair(bytes, environment, ranks);
  TransferCost cost = start_pair(bytes);
  const FabricSpec& fabric = cluster.fabric;
  const double nic = cluster.usable_nic_bandwidth().value();
  const auto size = static_cast<double>(bytes.value());
  cost.latency = fabric.send_receive_latency.value + climb(cluster, distance);
  cost.load = {0, 1};
  cost.sms = network_pair_channels(environment, ranks, bytes);
  if (size <= kLlPart * network_pair_channels(environment, ranks, Bytes(0))) {
    cost.protocol = Protocol::ll;
    cost.limit = cluster.gpu.nccl.network_ll_bandwidth.value.value() / cluster.node.nics.value;
    return cost;
  }
  cost.limit =
      both(nic, cost.sms * network_channel_rate(environment, nic, fabric.chunk_turnaround.value));
  // Buffers are offered, data follow: a Simple message takes a step of that kind at least.
  const Duration least = fabric.tree_hop.value - to_duration(size / cost.limit);
  cost.latency += std::max(Duration(0), least);
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
  const bool small = part <= (layout.domains == 1 ? largest_ll(environment) : kLlPart);
  if (small) cost.protocol = Protocol::ll;
  const Duration base = small ? nccl.ll.base + 2 * nccl.ll.hop : nccl.pair.base;
  const double inside = inside_seconds(request, environment, near, small);
  if (layout.domains == 1) {
    set_time(cost, base, inside);
    return cost;
  }
  const double nic = cluster.usable_nic_bandwidth().value();
  const double channels =
      network_pair_channels(environment, layout.ranks, Bytes(std::llround(part))) *
      std::min(far, kAtOnce);
  const FabricSpec& fabric = cluster.fabric;
  const Duration back = turnaround(fabric, far);
  const double rate = both(nic, channels * network_channel_rate(environment, nic, back));
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
