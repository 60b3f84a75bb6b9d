#include <algorithm>
#include <array>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"

namespace simtrain {
namespace {

bool tree_offers(const CollectiveRequest& request, const NcclEnvironment& /*environment*/,
                 Protocol protocol) {
  return request.collective == Collective::all_reduce && protocol != Protocol::copy_engine;
}

/// What channels and links allow, in bus bytes: NCCL's own counts for what trees lose.
double tree_rate(const CollectiveRequest& request, const NcclEnvironment& environment,
                 Protocol protocol, int channels) {
  const GroupLayout& layout = request.layout;
  const ClusterSpec& cluster = environment.cluster;
  const NcclGpuSpec& nccl = cluster.gpu.nccl;
  constexpr double kTreeShare = 0.92;
  double rate = kTreeShare * nccl.protocol(static_cast<std::size_t>(protocol)).bandwidth.value();
  if (layout.domains == 1) return rate;
  // NCCL's correction of LL trees over their useful sizes, 64 KiB to 1 MiB, is 0.4 to 0.7.
  constexpr double kLlTreeShare = 0.6;
  if (protocol == Protocol::ll)
    return std::min(rate, kLlTreeShare * nccl.network_ll_bandwidth.value.value());
  const double share = protocol == Protocol::ll128 ? 0.92 : 1;
  const double wire_share = 2.0 * (layout.ranks - 1) / layout.ranks;
  return std::min(rate, share * domain_network_rate(layout, cluster, channels) * wire_share /
                            tree_domain_bytes(layout.domains));
}

/// Two binary trees over the domains, each with half of the data, with chains inside the domains:
/// up to reduce, down to spread.
TransferCost tree_cost(const CollectiveRequest& request, const NcclEnvironment& environment,
                       Protocol protocol) {
  const GroupLayout& layout = request.layout;
  const ClusterSpec& cluster = environment.cluster;
  const NcclProtocolSpec& inside = cluster.gpu.nccl.protocol(static_cast<std::size_t>(protocol));
  TransferCost cost = start_cost(request, Algorithm::tree, protocol);
  cost.sms = ring_graph(layout, environment).channels;
  cost.load = busiest_load(tree_row(), request);
  const auto within = static_cast<std::int64_t>(layout.ranks_per_domain() + 0.999) - 1;
  const Duration up = within * inside.hop +
                      tree_levels(layout.domains) *
                          network_hop(cluster.fabric, protocol, cluster.fabric.tree_hop.value) +
                      layout.farthest_latency;
  const double rate = tree_rate(request, environment, protocol, cost.sms);
  set_time(cost, inside.base + network_start(layout, cluster, protocol) + 2 * up,
           static_cast<double>(cost.wire.value()) / rate);
  return cost;
}

/// NCCL's factor on the bandwidth of trees from 64 bytes on, by powers of two.
double counted_share(const TuningCall& call) {
  constexpr std::array<std::array<double, 23>, 3> kFactors{
      {{1,   1,   1,   1,   0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
        0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1,   1,   1,   1},
       {1,   1,   1,   1,   1,   0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6,
        0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1,   1},
       {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
        0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9}}};
  const std::int64_t bytes = call.request.bytes.value();
  std::size_t power = 0;
  for (std::int64_t rest = bytes / 64; rest > 1; rest /= 2) ++power;
  return bytes < 64 || power >= 23 ? 1.0 : kFactors[call.by_protocol()][power];
}

TuningCount tree_counts(const TuningCall& call) {
  constexpr TuningLatencies kUntil223{{6.8, 14, 0}, {0.6, 1.25, 28}, {5.0, 8.5, 28}};
  constexpr TuningLatencies kFrom223{{6.8, 14, 8.4}, {0.6, 1.25, 4.0}, {5.0, 8.5, 14}};
  const TuningLatencies& us = call.version() < NcclVersion{2, 23, 0} ? kUntil223 : kFrom223;
  const std::size_t p = call.by_protocol();
  const std::size_t d = call.by_domains();
  const GroupLayout& layout = call.request.layout;
  const TuningCaps caps = tuning_caps(call.architecture(), call.version());
  double bandwidth = std::min(0.92 * call.ring.total(), call.channels() * caps.tree_simple[d]);
  if (call.protocol == Protocol::ll)
    bandwidth = std::min(bandwidth / 3.8, ll_bandwidth_cap(layout, call.environment));
  if (call.protocol == Protocol::ll128)
    bandwidth = std::min(bandwidth * (layout.domains == 1 ? 7.0 / 9 : 120.0 / 128),
                         call.channels() * caps.tree_ll128[d]);
  return {us.base[p] + 2 * (call.within() * us.inside[p] + call.levels() * us.between[p]),
          bandwidth / 2 * counted_share(call)};
}

/// Messages from the far end of each domain's chain to its head, or back.
void add_chains(Schedule& schedule, const GroupShape& shape, int head, bool up) {
  for (int part = head; part < schedule.parts; part += shape.per_domain) {
    for (int domain = 0; domain < shape.domains; ++domain) {
      for (int step = 1; step < shape.per_domain; ++step) {
        const int far = up ? shape.per_domain - step : step;
        const int rank = shape.rank(domain, head + far);
        const int nearer = shape.rank(domain, head + far - 1);
        schedule.moves.push_back({up ? rank : nearer, up ? nearer : rank, part, up});
      }
    }
  }
}

/// Each rank of a domain heads a chain of the others for its part of the data.
Schedule tree_schedule(Collective /*all_reduce*/, const GroupShape& shape) {
  Schedule schedule;
  schedule.parts = 2 * shape.per_domain;
  schedule.share = 1.0 / schedule.parts;
  for (int head = 0; head < shape.per_domain; ++head) {
    add_chains(schedule, shape, head, true);
    add_tree_moves(schedule, shape, head, head, shape.per_domain);
    add_chains(schedule, shape, head, false);
  }
  return schedule;
}

/// Up and down the chains of the p - 1 other heads, and the tree between domains for its own part.
SentBytes tree_bytes(Collective /*all_reduce*/, double bytes, const GroupShape& shape, int rank) {
  return {2 * bytes * (shape.per_domain - 1) / shape.per_domain,
          tree_sent(shape, rank / shape.per_domain, bytes)};
}

}  // namespace

NcclAlgorithm tree_row() {
  return {{Algorithm::tree, "chains inside a domain, a double binary tree between; all-reduce",
           tree_schedule, tree_bytes},
          tree_offers,
          tree_cost,
          tree_counts};
}

}  // namespace simtrain
