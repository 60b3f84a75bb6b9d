#include <algorithm>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"

namespace simtrain {
namespace {

bool collnet_offers(const CollectiveRequest& request, const NcclEnvironment& environment,
                    Protocol protocol) {
  const std::optional<Sourced<bool>>& enabled = environment.settings.collnet;
  return enabled && enabled->value && environment.cluster.fabric.sharp &&
         environment.cluster.fabric.sharp->value && protocol == Protocol::simple &&
         request.collective == Collective::all_reduce && request.layout.domains > 1;
}

/// The switches reduce: a domain sends its data once, whatever the number of domains.
TransferCost collnet_cost(const CollectiveRequest& request, const NcclEnvironment& environment,
                          const AlgorithmRow& row, Duration inside, double inside_rate) {
  const GroupLayout& layout = request.layout;
  const ClusterSpec& cluster = environment.cluster;
  TransferCost cost = start_cost(request, row.algorithm, Protocol::simple);
  cost.sms = ring_graph(layout, environment).channels;
  const double wire_share = 2.0 * (layout.ranks - 1) / layout.ranks;
  cost.load = busiest_load(row, request);
  const double network = domain_network_rate(layout, cluster, cost.sms) * wire_share;
  // NVIDIA/nccl src/graph/tuning.cc: 31 us through the SHARP tree and back.
  constexpr Duration kSharp = std::chrono::microseconds(31);
  set_time(cost, cluster.gpu.nccl.simple.base + 2 * inside + kSharp + 2 * layout.farthest_latency,
           static_cast<double>(cost.wire.value()) / std::min(inside_rate, network));
  return cost;
}

TransferCost collnet_direct_cost(const CollectiveRequest& request,
                                 const NcclEnvironment& environment, Protocol /*protocol*/) {
  const NcclGpuSpec& nccl = environment.cluster.gpu.nccl;
  const bool switched = environment.settings.nvls.value;
  return collnet_cost(request, environment, collnet_direct_row(), nccl.simple.hop,
                      switched ? nccl.nvls.bandwidth.value() : nccl.simple.bandwidth.value());
}

TransferCost collnet_chain_cost(const CollectiveRequest& request,
                                const NcclEnvironment& environment, Protocol /*protocol*/) {
  const NcclGpuSpec& nccl = environment.cluster.gpu.nccl;
  const auto within = static_cast<std::int64_t>(request.layout.ranks_per_domain() + 0.999) - 1;
  return collnet_cost(request, environment, collnet_chain_row(), within * nccl.simple.hop,
                      nccl.simple.bandwidth.value());
}

TuningCount collnet_direct_counts(const TuningCall& call) {
  if (call.protocol != Protocol::simple) return {};
  constexpr double kInside = 3.7;
  constexpr double kBetween = 31;
  const double share = call.architecture() == Architecture::ampere ? 1.0 : 0.85;
  return {2 * (std::min(1.0, call.within()) * kInside + call.within() * 0.4) + kBetween,
          call.ring.total() * share};
}

TuningCount collnet_chain_counts(const TuningCall& call) {
  if (call.protocol != Protocol::simple) return {};
  constexpr double kInside = 2.8;
  constexpr double kBetween = 30;
  return {2 * call.within() * kInside + kBetween, call.ring.total() / 2};
}

/// Part after part: the domain's ranks bring it to its head, over each other where `chained`; heads
/// send it to the network's switches, which reduce it and send it back.
Schedule collnet_schedule(const GroupShape& shape, bool chained) {
  Schedule schedule;
  schedule.parts = shape.per_domain;
  schedule.share = 1.0 / schedule.parts;
  for (int head = 0; head < shape.per_domain; ++head) {
    const auto inside = [&](int domain, bool up) {
      for (int step = 1; step < shape.per_domain; ++step) {
        const int far = up ? shape.per_domain - step : step;
        const int rank = shape.rank(domain, head + far);
        const int nearer = shape.rank(domain, chained ? head + far - 1 : head);
        schedule.moves.push_back({up ? rank : nearer, up ? nearer : rank, head, up});
      }
    };
    for (int domain = 0; domain < shape.domains; ++domain) {
      inside(domain, true);
      schedule.moves.push_back({shape.rank(domain, head), shape.network_switch(), head, true});
    }
    for (int domain = 0; domain < shape.domains; ++domain) {
      schedule.moves.push_back({shape.network_switch(), shape.rank(domain, head), head, false});
      inside(domain, false);
    }
  }
  return schedule;
}

Schedule collnet_schedule(Collective /*all_reduce*/, const GroupShape& shape) {
  return collnet_schedule(shape, false);
}
Schedule chain_schedule(Collective /*all_reduce*/, const GroupShape& shape) {
  return collnet_schedule(shape, true);
}

/// The parts of the other heads, and its own to them; its own part once to the network.
SentBytes collnet_sent(Collective /*all_reduce*/, double bytes, const GroupShape& shape,
                       int /*rank*/) {
  return {2 * bytes * (shape.per_domain - 1) / shape.per_domain, bytes / shape.per_domain};
}

}  // namespace

NcclAlgorithm collnet_direct_row() {
  return {{Algorithm::collnet_direct,
           "SHARP: the fabric's switches reduce, ranks of a domain exchange directly; all-reduce",
           collnet_schedule, collnet_sent},
          collnet_offers,
          collnet_direct_cost,
          collnet_direct_counts};
}

NcclAlgorithm collnet_chain_row() {
  return {{Algorithm::collnet_chain, "SHARP with a chain inside each domain; all-reduce",
           chain_schedule, collnet_sent},
          collnet_offers,
          collnet_chain_cost,
          collnet_chain_counts};
}

}  // namespace simtrain
