#include <algorithm>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"

namespace simtrain {
namespace {

/// From NCCL 2.23 on, and only where every rank is alone in its domain.
bool pat_offers(const CollectiveRequest& request, const NcclEnvironment& environment,
                Protocol protocol) {
  const bool collective = request.collective == Collective::all_gather ||
                          request.collective == Collective::reduce_scatter;
  return collective && protocol == Protocol::simple && request.layout.domains > 1 &&
         request.layout.domains == request.layout.ranks &&
         environment.settings.version.value >= NcclVersion{2, 23, 0};
}

/// Parallel aggregated trees: log2(n) levels; small parts travel together, up to a buffer.
TransferCost pat_cost(const CollectiveRequest& request, const NcclEnvironment& environment,
                      Protocol protocol) {
  const GroupLayout& layout = request.layout;
  const ClusterSpec& cluster = environment.cluster;
  TransferCost cost = start_cost(request, Algorithm::pat, protocol);
  cost.sms = ring_graph(layout, environment).channels;
  // NVIDIA/nccl src/graph/tuning.cc counts 0.75 of the bandwidth and 2.8 us per rank.
  constexpr double kShare = 0.75;
  constexpr Duration kPerRank = std::chrono::nanoseconds(2800);
  const Duration latency = cluster.gpu.nccl.simple.base +
                           tree_levels(layout.domains) * cluster.fabric.tree_hop.value +
                           layout.ranks * kPerRank + layout.farthest_latency;
  set_time(cost, latency,
           static_cast<double>(cost.wire.value()) /
               (kShare * domain_network_rate(layout, cluster, cost.sms)));
  cost.load = busiest_load(pat_row(), request);
  return cost;
}

TuningCount pat_counts(const TuningCall& call) {
  if (call.protocol != Protocol::simple) return {};
  constexpr double kBase = 8;
  constexpr double kBetween = 14;
  const GroupLayout& layout = call.request.layout;
  const double share = call.version() < NcclVersion{2, 24, 0} ? 0.85 : 0.75;
  return {kBase + call.levels() * kBetween / 3.5 + layout.domains * 2.8,
          call.ring.total() * share * layout.ranks / call.steps()};
}

/// Each rank's part goes over a binomial tree of its own, far ranks first; reductions come back.
Schedule pat_schedule(Collective collective, const GroupShape& shape) {
  const int ranks = shape.ranks();
  Schedule schedule;
  schedule.parts = ranks;
  schedule.share = 1.0 / ranks;
  for (int owner = 0; owner < ranks; ++owner) {
    const std::size_t first = schedule.moves.size();
    for (int stride = 1 << tree_levels(ranks); stride > 0; stride /= 2) {
      for (int near = 0; near + stride < ranks; near += 2 * stride)
        schedule.moves.push_back(
            {(owner + near) % ranks, (owner + near + stride) % ranks, owner, false});
    }
    if (collective == Collective::all_gather) continue;
    std::reverse(schedule.moves.begin() + static_cast<std::ptrdiff_t>(first), schedule.moves.end());
    for (std::size_t i = first; i < schedule.moves.size(); ++i) {
      std::swap(schedule.moves[i].from, schedule.moves[i].to);
      schedule.moves[i].reduce = true;
    }
  }
  return schedule;
}

SentBytes pat_sent(Collective /*collective*/, double bytes, const GroupShape& shape, int /*rank*/) {
  return {0, bytes * (shape.ranks() - 1) / shape.ranks()};
}

}  // namespace

NcclAlgorithm pat_row() {
  return {
      {Algorithm::pat, "parallel aggregated trees; all-gather and reduce-scatter, one GPU a domain",
       pat_schedule, pat_sent},
      pat_offers,
      pat_cost,
      pat_counts};
}

}  // namespace simtrain
