#include <algorithm>
#include <cmath>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"

namespace simtrain {
namespace {

constexpr double kKiB = 1024;
/// Stages that a round passes before the next can end: into the switch and out of it.
constexpr double kStages = 2;

/// Bytes of the buffer that all channels and heads take in one round: chunks of 128 KiB (64 where
/// more than two domains join in a tree), smaller for small calls (NVIDIA/nccl src/enqueue.cc).
double round_bytes(const CollectiveRequest& request, int operations) {
  double chunk = request.layout.domains > 2 ? 64 * kKiB : 128 * kKiB;
  const auto bytes = static_cast<double>(request.bytes.value());
  if (bytes < 64 * operations * chunk) chunk = std::min(chunk, 64 * kKiB);
  if (bytes < 8 * operations * chunk) chunk = std::min(chunk, 32 * kKiB);
  if (bytes < 2 * operations * chunk) chunk = std::min(chunk, 16 * kKiB);
  return std::min(bytes, operations * chunk);
}

bool can_use_nvls(const CollectiveRequest& request, const NcclEnvironment& environment,
                  Protocol protocol) {
  return environment.settings.nvls.value && protocol == Protocol::simple &&
         request.layout.ranks_per_domain() > 2 && !environment.cluster.node.is_mesh() &&
         environment.cluster.gpu.architecture >= Architecture::hopper;
}

struct Rounds {
  double bytes;  ///< of the buffer, in one round
  double count;
};

Rounds rounds_of(const CollectiveRequest& request, const NcclEnvironment& environment) {
  const int operations = nvls_graph(request.layout, environment).channels *
                         nvls_heads(request.layout, environment.settings);
  const double bytes = round_bytes(request, operations);
  return {bytes, bytes > 0 ? static_cast<double>(request.bytes.value()) / bytes : 0};
}

bool nvls_offers(const CollectiveRequest& request, const NcclEnvironment& environment,
                 Protocol protocol) {
  return request.collective == Collective::all_reduce && request.layout.domains == 1 &&
         can_use_nvls(request, environment, protocol);
}

TransferCost nvls_cost(const CollectiveRequest& request, const NcclEnvironment& environment,
                       Protocol protocol) {
  const NvlsSpec& nvls = environment.cluster.gpu.nccl.nvls;
  TransferCost cost = start_cost(request, Algorithm::nvls, protocol);
  const double wire_share = 2.0 * (request.layout.ranks - 1) / request.layout.ranks;
  const Rounds rounds = rounds_of(request, environment);
  const double round =
      rounds.bytes * wire_share / nvls.bandwidth.value() + to_seconds(nvls.round_overhead);
  set_time(cost, nvls.base + to_duration(kStages * round), rounds.count * round);
  cost.load = busiest_load(nvls_row(), request);
  cost.sms = nvls_graph(request.layout, environment).channels;
  return cost;
}

bool nvls_tree_offers(const CollectiveRequest& request, const NcclEnvironment& environment,
                      Protocol protocol) {
  return request.collective == Collective::all_reduce && request.layout.domains > 1 &&
         can_use_nvls(request, environment, protocol);
}

/// Reduced in the switch of each domain, then up and down a double binary tree of domains, round
/// after round. A level hands a round on when it is whole; rounds follow each other at the pace of
/// the slower of switch and NICs.
TransferCost nvls_tree_cost(const CollectiveRequest& request, const NcclEnvironment& environment,
                            Protocol protocol) {
  const GroupLayout& layout = request.layout;
  const ClusterSpec& cluster = environment.cluster;
  const NvlsSpec& nvls = cluster.gpu.nccl.nvls;
  TransferCost cost = start_cost(request, Algorithm::nvls_tree, protocol);
  const double wire_share = 2.0 * (layout.ranks - 1) / layout.ranks;
  const double domain_bytes = tree_domain_bytes(layout.domains);
  const double network =
      std::min(domain_network_rate(layout, cluster, ring_graph(layout, environment).channels),
               nvls_heads(layout, environment.settings) * cluster.usable_nic_bandwidth().value());
  const Rounds rounds = rounds_of(request, environment);
  const double inside =
      rounds.bytes * wire_share / nvls.bandwidth.value() + to_seconds(nvls.round_overhead);
  const double hop = to_seconds(cluster.fabric.tree_hop.value);
  const double round = std::max({inside, rounds.bytes * domain_bytes / network, hop});
  const double level = hop + std::max(inside, rounds.bytes / network);
  const Duration fill = to_duration(kStages * inside + 2 * tree_levels(layout.domains) * level) +
                        2 * layout.farthest_latency;
  set_time(cost, nvls.base + fill, rounds.count * round);
  cost.load = busiest_load(nvls_tree_row(), request);
  cost.sms = nvls_graph(layout, environment).channels;
  return cost;
}

double counted_inside(NcclVersion version) { return version < NcclVersion{2, 21, 0} ? 23 : 25; }

TuningCount nvls_counts(const TuningCall& call) {
  if (call.protocol != Protocol::simple) return {};
  constexpr double kBetween = 18;
  const GroupLayout& layout = call.request.layout;
  const int heads = nvls_heads(layout, call.environment.settings);
  return {counted_inside(call.version()) + (layout.domains > 1 ? kBetween : 0),
          heads * nvls_graph(layout, call.environment).bandwidth * 5 / 6};
}

TuningCount nvls_tree_counts(const TuningCall& call) {
  if (call.protocol != Protocol::simple) return {};
  const NcclVersion version = call.version();
  const double between = version < NcclVersion{2, 28, 9} ? 14 : 20.9;
  const bool two = call.request.layout.domains == 2;
  const double cap = version < NcclVersion{2, 28, 0} ? std::numeric_limits<double>::infinity()
                     : call.architecture() == Architecture::blackwell ? (two ? 96.0 : 43.1)
                                                                      : (two ? 57.7 : 45.5);
  return {counted_inside(version) + 2 * call.levels() * between,
          std::min(call.ring.total(), call.channels() * cap) * 5 / 6};
}

/// Messages between one domain's ranks and its switch for a part: up to the head, or back.
void add_exchange(Schedule& schedule, const GroupShape& shape, int domain, int part, bool up) {
  const int nvswitch = shape.nvlink_switch(domain);
  const int owner = shape.rank(domain, part % shape.per_domain);
  if (!up) schedule.moves.push_back({owner, nvswitch, part, false});
  for (int local = 0; local < shape.per_domain; ++local) {
    const int rank = shape.rank(domain, local);
    schedule.moves.push_back({up ? rank : nvswitch, up ? nvswitch : rank, part, up});
  }
  if (up) schedule.moves.push_back({nvswitch, owner, part, false});
}

void add_exchanges(Schedule& schedule, const GroupShape& shape, int head, bool up) {
  for (int part = head; part < schedule.parts; part += shape.per_domain) {
    for (int domain = 0; domain < shape.domains; ++domain)
      add_exchange(schedule, shape, domain, part, up);
  }
}

/// Part after part: the switch adds up what all ranks lend it, the part's head takes the sum
/// (and, in the tree, the sums of the other domains' heads), and the switch spreads it.
Schedule nvls_schedule(Collective /*all_reduce*/, const GroupShape& shape) {
  const int trees = shape.domains > 1 ? 2 : 1;
  Schedule schedule;
  schedule.parts = trees * shape.per_domain;
  schedule.share = 1.0 / schedule.parts;
  for (int head = 0; head < shape.per_domain; ++head) {
    add_exchanges(schedule, shape, head, true);
    if (trees == 2) add_tree_moves(schedule, shape, head, head, shape.per_domain);
    add_exchanges(schedule, shape, head, false);
  }
  return schedule;
}

/// Each rank lends the switch its whole buffer and hands it its own part to spread.
SentBytes nvls_sent(Collective /*all_reduce*/, double bytes, const GroupShape& shape, int rank) {
  return {bytes * (1 + 1.0 / shape.per_domain), tree_sent(shape, rank / shape.per_domain, bytes)};
}

}  // namespace

NcclAlgorithm nvls_row() {
  return {{Algorithm::nvls, "reduction in the NVLink switch; all-reduce in one domain",
           nvls_schedule, nvls_sent},
          nvls_offers,
          nvls_cost,
          nvls_counts};
}

NcclAlgorithm nvls_tree_row() {
  return {{Algorithm::nvls_tree,
           "reduction in the NVLink switches, a double binary tree between domains; all-reduce",
           nvls_schedule, nvls_sent},
          nvls_tree_offers,
          nvls_tree_cost,
          nvls_tree_counts};
}

}  // namespace simtrain
