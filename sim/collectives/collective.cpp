#include "sim/collectives/collective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

/// HBM bytes per bus byte: a rank reads what it sends and writes what it receives; a reduction
/// reads its own part too.
double memory_traffic(Collective collective) {
  const bool reduces =
      collective == Collective::all_reduce || collective == Collective::reduce_scatter;
  return reduces ? 2.5 : 2.0;
}

template <class Name>
bool allowed(const std::optional<Sourced<std::vector<Name>>>& only, Name name) {
  return !only || std::find(only->value.begin(), only->value.end(), name) != only->value.end();
}

}  // namespace

Duration TransferCost::alone(double link_rate) const {
  return latency + wire / Bandwidth(std::min(limit, link_rate));
}

const std::array<AlgorithmRow, 7>& algorithm_rows() {
  static const std::array<AlgorithmRow, 7> rows{
      ring_row(),      tree_row(), collnet_direct_row(), collnet_chain_row(), nvls_row(),
      nvls_tree_row(), pat_row()};
  return rows;
}

Bytes bus_bytes(Collective collective, Bytes bytes, int ranks) {
  if (collective == Collective::send_receive || collective == Collective::broadcast) return bytes;
  const int rounds = collective == Collective::all_reduce ? 2 : 1;
  return Bytes(bytes.value() * rounds / ranks * (ranks - 1) +
               bytes.value() * rounds % ranks * (ranks - 1) / ranks);
}

TransferCost start_cost(const CollectiveRequest& request, Algorithm algorithm, Protocol protocol) {
  TransferCost cost;
  cost.collective = request.collective;
  cost.algorithm = algorithm;
  cost.protocol = protocol;
  cost.bytes = request.bytes;
  cost.wire = bus_bytes(request.collective, request.bytes, request.layout.ranks);
  cost.memory_traffic = memory_traffic(request.collective);
  return cost;
}

void set_time(TransferCost& cost, Duration latency, double seconds) {
  cost.latency = latency;
  const auto wire = static_cast<double>(cost.wire.value());
  cost.limit = seconds > 0 && wire > 0 ? wire / seconds : std::numeric_limits<double>::max();
}

double domain_network_rate(const GroupLayout& layout, const ClusterSpec& cluster, int channels) {
  return std::min(layout.fewest_per_domain * cluster.usable_nic_bandwidth().value(),
                  channels * cluster.fabric.channel_bandwidth.value.value());
}

Duration network_hop(const FabricSpec& fabric, Protocol protocol, Duration simple) {
  return protocol == Protocol::ll      ? fabric.ll_hop.value
         : protocol == Protocol::ll128 ? fabric.ll128_hop.value
                                       : simple;
}

Duration network_start(const GroupLayout& layout, const ClusterSpec& cluster, Protocol protocol) {
  return layout.domains == 1 || protocol == Protocol::ll ? Duration(0)
                                                         : cluster.fabric.collective_start.value;
}

int tree_levels(int domains) {
  int levels = 0;
  for (int reached = 1; reached < domains; reached *= 2) ++levels;
  return levels;
}

double tree_domain_bytes(int domains) { return domains < 2 ? 0 : std::min(2.0, domains / 2.0); }

LinkLoad busiest_load(const AlgorithmRow& row, const CollectiveRequest& request) {
  const GroupLayout& layout = request.layout;
  const GroupShape shape{layout.domains, layout.fewest_per_domain};
  const auto wire = static_cast<double>(
      bus_bytes(request.collective, Bytes(std::int64_t{1} << 40), shape.ranks()).value());
  // The third domain of a double tree has both neighbours below it and a parent.
  const int domain =
      request.collective == Collective::broadcast ? 0 : std::min(2, layout.domains - 1);
  const SentBytes sent = row.sent(request.collective, std::exp2(40), shape, shape.rank(domain, 0));
  return {sent.nvlink / wire, sent.nic / wire};
}

TransferCost plan_collective(const CollectiveRequest& request, const NcclEnvironment& environment) {
  invariant(request.layout.ranks > 0, "a group has ranks");
  const AlgorithmRow ring = ring_row();
  if (request.layout.ranks == 1) {
    TransferCost alone = start_cost(request, Algorithm::ring, Protocol::simple);
    alone.limit = std::numeric_limits<double>::max();
    return alone;
  }
  const AlgorithmRow* best = &ring;
  Protocol best_protocol = Protocol::simple;
  double least = std::numeric_limits<double>::infinity();
  for (const AlgorithmRow& row : algorithm_rows()) {
    if (!allowed(environment.settings.algo, row.algorithm)) continue;
    for (const Protocol protocol : kNcclProtocols) {
      if (!allowed(environment.settings.proto, protocol) ||
          !row.offers(request, environment, protocol))
        continue;
      const double seconds = tuning_seconds(request, row.algorithm, protocol, environment);
      if (seconds >= least) continue;
      least = seconds;
      best = &row;
      best_protocol = protocol;
    }
  }
  return best->cost(request, environment, best_protocol);
}

TransferCost plan_call(const CollectiveRequest& request, const NcclEnvironment& environment) {
  if (request.collective == Collective::all_to_all) return plan_all_to_all(request, environment);
  if (request.collective != Collective::send_receive) return plan_collective(request, environment);
  return plan_send_receive(request.bytes, request.layout.widest_hop, environment,
                           request.layout.ranks);
}

}  // namespace simtrain
