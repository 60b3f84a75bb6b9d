#include "sim/collectives/algorithm.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simtrain {
namespace {

/// HBM bytes per bus byte: a rank reads what it sends and writes what it receives; a reduction
/// reads its own part too.
double memory_traffic(Collective collective) {
  const bool reduces =
      collective == Collective::all_reduce || collective == Collective::reduce_scatter;
  return reduces ? 2.5 : 2.0;
}

}  // namespace

Duration TransferCost::alone(double link_rate) const {
  return latency + wire / Bandwidth(std::min(limit, link_rate));
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

Duration climb(const ClusterSpec& cluster, Distance distance) {
  const FabricSpec& fabric = cluster.fabric;
  const bool blocks =
      !cluster.graph && fabric.nodes_per_block && cluster.nodes > fabric.nodes_per_block->value;
  const int levels = distance == Distance::fabric  ? (blocks ? 2 : 1)
                     : distance == Distance::block ? 1
                                                   : 0;
  return levels * fabric.level_latency();
}

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

int tree_levels(int domains) {
  int levels = 0;
  for (int reached = 1; reached < domains; reached *= 2) ++levels;
  return levels;
}

double tree_domain_bytes(int domains) { return domains < 2 ? 0 : std::min(2.0, domains / 2.0); }

}  // namespace simtrain
