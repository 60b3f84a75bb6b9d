#include <algorithm>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"

namespace simtrain {
namespace {

/// The rate of the flow between ranks: channels, NVLinks, NICs.
double hop_rate(const CollectiveRequest& request, const NcclEnvironment& environment,
                Protocol protocol, int channels) {
  const ClusterSpec& cluster = environment.cluster;
  const NcclGpuSpec& nccl = cluster.gpu.nccl;
  const NcclProtocolSpec& inside = nccl.protocol(static_cast<std::size_t>(protocol));
  // Few channels bind before the links do; LL and LL128 lose the same share of them.
  const double share = inside.bandwidth.value() / nccl.simple.bandwidth.value();
  double rate = std::min(inside.bandwidth.value(),
                         share * channels * nccl.lone_channel_bandwidth.value.value());
  if (request.layout.domains == 1) return rate;
  const double network = domain_network_rate(request.layout, cluster, channels);
  // LL128 carries 120 bytes of 128, of which NCCL's tuning counts 0.92.
  return protocol == Protocol::ll      ? std::min(rate, nccl.network_ll_bandwidth.value.value())
         : protocol == Protocol::ll128 ? std::min(rate, 0.92 * network)
                                       : std::min(rate, network);
}

/// A rank also copies its own part: a step more than it sends, in LL and LL128 at their own rate.
double copy_seconds(const CollectiveRequest& request, const NcclEnvironment& environment,
                    Protocol protocol, int channels, double rate) {
  if (request.collective == Collective::broadcast) return 0;
  const double part = static_cast<double>(request.bytes.value()) / request.layout.ranks;
  return protocol == Protocol::simple
             ? part / (channels * environment.cluster.gpu.nccl.copy_bandwidth.value.value())
             : part / rate;
}

bool ring_offers(const CollectiveRequest& request, const NcclEnvironment& /*environment*/,
                 Protocol protocol) {
  return request.collective != Collective::all_to_all &&
         request.collective != Collective::send_receive && protocol != Protocol::copy_engine;
}

/// Every step passes a part on to the next rank: hops and bytes add. Simple forwards in slices,
/// half a step's part, one moving while the other turns around.
TransferCost ring_cost(const CollectiveRequest& request, const NcclEnvironment& environment,
                       Protocol protocol) {
  const GroupLayout& layout = request.layout;
  const NcclGpuSpec& nccl = environment.cluster.gpu.nccl;
  const NcclProtocolSpec& inside = nccl.protocol(static_cast<std::size_t>(protocol));
  TransferCost cost = start_cost(request, Algorithm::ring, protocol);
  const int channels = ring_graph(layout, environment).channels;
  const int rounds = request.collective == Collective::all_reduce ? 2 : 1;
  // A part passes all of the ring's hops but one: where it can, that is one inside a domain.
  const int between = std::min(layout.network_hops, layout.ranks - 1);
  const Duration far = between * layout.far_latency / std::max(1, layout.network_hops);
  const int inside_steps = rounds * (layout.ranks - 1 - between);
  const Duration network_hops =
      rounds * (between * network_hop(environment.cluster.fabric, protocol,
                                      environment.cluster.fabric.simple_hop.value) +
                far + network_start(layout, environment.cluster, protocol));

  const double rate = hop_rate(request, environment, protocol, channels);
  const double seconds = static_cast<double>(cost.wire.value()) / rate +
                         copy_seconds(request, environment, protocol, channels, rate);
  const Duration turnarounds =
      protocol == Protocol::simple ? inside_steps * nccl.slice_turnaround.value : Duration(0);
  const Duration exposed = std::max(Duration(0), turnarounds - to_duration(seconds / 2));
  set_time(cost, inside.base + inside_steps * inside.hop + network_hops + exposed, seconds);
  cost.load = busiest_load(ring_row(), request);
  cost.sms = channels;
  return cost;
}

/// As many rings as a domain has ranks: each starts at another rank of every domain, so that each
/// leaves it over another NIC.
Schedule ring_schedule(Collective collective, const GroupShape& shape) {
  const int ranks = shape.ranks();
  const int rings = shape.domains > 1 ? shape.per_domain : 1;
  const bool broadcast = collective == Collective::broadcast;
  const bool reduces = collective != Collective::all_gather && !broadcast;
  Schedule schedule;
  schedule.parts = ranks * rings;
  schedule.share = 1.0 / schedule.parts;
  for (int ring = 0; ring < rings; ++ring) {
    const auto at = [&](int place) {
      return shape.rank(place / shape.per_domain, place % shape.per_domain + ring);
    };
    for (int chunk = 0; chunk < ranks; ++chunk) {
      // Reductions end, and gathers begin, at the rank that the chunk belongs to.
      const int owner = broadcast ? 0 : chunk;
      int place = 0;
      while (at(place) != owner) ++place;
      const int part = chunk * rings + ring;
      const auto pass = [&](int step, bool reduce) {
        schedule.moves.push_back(
            {at((place + step) % ranks), at((place + step + 1) % ranks), part, reduce});
      };
      for (int step = 1; reduces && step < ranks; ++step) pass(step, true);
      for (int step = 0; collective != Collective::reduce_scatter && step + 1 < ranks; ++step)
        pass(step, false);
    }
  }
  return schedule;
}

/// What a step costs at least where a call leaves the node, in microseconds: by the hosts'
/// processors, three times that with Simple.
double counted_overhead(const TuningCall& call) {
  if (call.request.layout.domains == 1) return 0;
  const double one = call.environment.cluster.node.host_cpu.value == HostCpu::amd ? 2 : 1;
  return call.protocol == Protocol::simple ? 3 * one : one;
}

double counted_latency(const TuningCall& call) {
  constexpr TuningLatencies kUs{{6.6, 14, 8.4}, {0.6, 1.9, 3.4}, {2.7, 4.0, 14}};
  const GroupLayout& layout = call.request.layout;
  const std::size_t p = call.by_protocol();
  const bool two_more =
      call.all_reduce() && call.version() < NcclVersion{2, 23, 0} && layout.domains > 1;
  const int crossing = (call.all_reduce() ? 2 : 1) * (layout.domains - 1) + (two_more ? 2 : 0);
  const double latency =
      kUs.base[p] + (call.steps() - crossing) * std::max(kUs.inside[p], counted_overhead(call)) +
      crossing * kUs.between[p];
  const auto bytes = static_cast<double>(call.request.bytes.value());
  const bool pipelined = call.protocol == Protocol::simple && layout.domains > 1 &&
                         call.all_reduce() && bytes / call.ring.channels / layout.ranks >= 64;
  return pipelined ? latency * 1.4 : latency;
}

TuningCount ring_counts(const TuningCall& call) {
  const GroupLayout& layout = call.request.layout;
  const double bus = call.ring.total();
  double bandwidth = bus;
  if (call.protocol == Protocol::ll) {
    const double share = call.version() >= NcclVersion{2, 21, 0}   ? 0.5
                         : call.all_reduce() || layout.domains > 1 ? 0.25
                                                                   : 1 / 3.0;
    bandwidth = std::min(ll_bandwidth_cap(layout, call.environment), bus * share);
  } else if (call.protocol == Protocol::ll128) {
    const TuningCaps caps = tuning_caps(call.architecture(), call.version());
    bandwidth = std::min(0.92 * bus, call.channels() * caps.ring_ll128[call.by_domains()]);
  }
  return {counted_latency(call), bandwidth * layout.ranks / call.steps()};
}

/// A rank sends S (n-1)/n a round: the part p-1 of p over NVLink where rings leave its domain. In a
/// broadcast the last rank of each ring sends nothing.
SentBytes ring_sent(Collective collective, double bytes, const GroupShape& shape, int rank) {
  const int ranks = shape.ranks();
  const double leaving = shape.domains > 1 ? 1.0 / shape.per_domain : 0;
  if (collective == Collective::broadcast) {
    // Rings start at rank 0; the rank before it in ring order ends them.
    const int domain = rank / shape.per_domain;
    const int local = rank % shape.per_domain;
    SentBytes sent;
    const int rings = shape.domains > 1 ? shape.per_domain : 1;
    for (int ring = 0; ring < rings; ++ring) {
      const int start = (shape.per_domain - ring) % shape.per_domain;
      const int place =
          domain * shape.per_domain + (local - ring + shape.per_domain) % shape.per_domain;
      const bool last = (place + 1) % ranks == start;
      const bool crosses = shape.domains > 1 && place % shape.per_domain == shape.per_domain - 1;
      if (!last) (crosses ? sent.nic : sent.nvlink) += bytes / rings;
    }
    return sent;
  }
  const double rounds = collective == Collective::all_reduce ? 2 : 1;
  const double all = rounds * bytes * (ranks - 1) / ranks;
  return {all * (1 - leaving), all * leaving};
}

}  // namespace

NcclAlgorithm ring_row() {
  return {{Algorithm::ring, "every rank passes on to the next; all but all-to-all", ring_schedule,
           ring_sent},
          ring_offers,
          ring_cost,
          ring_counts};
}

}  // namespace simtrain
