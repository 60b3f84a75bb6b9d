#include "sim/run/analysis/placement_figures.h"

#include <algorithm>

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>

#include "sim/topology/graph/cluster_graph.h"
#include "sim/topology/link_sharing.h"

namespace simtrain {
namespace {

class HopCounter {
 public:
  explicit HopCounter(const JobContext& context) : context_(context) {}

  /// Hops of the rings over all groups of one kind; each is met once, at its first rank.
  [[nodiscard]] HopRow rings(GroupKind kind) const {
    HopRow row{std::string(row_of(kind).name), {}};
    for (int rank = 0; rank < context_.grid.ranks(); ++rank) {
      if (context_.grid.first_of(kind, rank) != rank) continue;
      const std::vector<int> ranks = context_.grid.group(kind, rank);
      for (std::size_t i = 0; i < ranks.size(); ++i)
        add(row, ranks[i], ranks[(i + 1) % ranks.size()]);
    }
    return row;
  }

  /// Ways of the activations: from each stage to the next, and with chunks from the last to the
  /// first.
  HopRow pipelines() const {
    HopRow row{std::string(row_of(GroupKind::to_next).name), {}};
    const bool closed = context_.recipe.vp() > 1;
    for (int rank = 0; rank < context_.grid.ranks(); ++rank) {
      if (closed || context_.grid.coordinates(rank).pp + 1 < context_.grid.pp())
        add(row, rank, context_.grid.stage_neighbour(rank, 1));
    }
    return row;
  }

 private:
  void add(HopRow& row, int from, int to) const {
    if (from == to) return;
    const Distance distance =
        context_.cluster.distance(context_.placement.gpu(from), context_.placement.gpu(to));
    ++row.hops[static_cast<std::size_t>(distance)];
  }

  const JobContext& context_;
};

std::vector<HopRow> hop_rows(const JobContext& context) {
  const HopCounter counter(context);
  std::vector<HopRow> rows;
  for (const GroupRow& row : group_rows()) {
    if (row.hops) rows.push_back(counter.rings(row.kind));
  }
  rows.push_back(counter.pipelines());
  std::erase_if(rows, [](const HopRow& row) {
    return std::all_of(row.hops.begin(), row.hops.end(), [](auto hops) { return hops == 0; });
  });
  return rows;
}

/// Bytes in parts of a byte, so that sums are exact in any order and of any fold.
using ByteParts = boost::multiprecision::uint128_t;

/// What the step's transfers send over each link.
std::vector<ByteParts> sent_by_link(const Plan& plan) {
  std::vector<ByteParts> sent(plan.link_capacities.size(), 0);
  for (std::uint32_t i = 0; i < plan.ranks.size(); ++i) {
    const SimulatedRank& rank = plan.ranks[i];
    const Program& program = plan.programs[rank.program];
    for (const Op& op : program.ops) {
      if (op.compute) continue;
      const Group& group = plan.groups[rank.groups[static_cast<std::size_t>(op.group)]];
      if (group.members.front() != i) continue;
      const TransferCost& transfer = program.transfers[op.cost];
      for (const LinkShare& link : group.links_of(transfer))
        sent[static_cast<std::size_t>(link.link)] +=
            ByteParts(transfer.wire.value()) * parts_of(link.share);
    }
  }
  return sent;
}

std::string link_name(const ClusterGraph& graph, int link) {
  return graph[graph.from(link)].name + " to " + graph[graph.to(link)].name;
}

/// The link between switches that would be busy longest, had it the step's transfers to itself.
std::optional<BusyLink> busiest_link(const Cluster& cluster, const Plan& plan, double step_time) {
  if (cluster.inner_links_never_bind()) return std::nullopt;
  const std::vector<ByteParts> sent = sent_by_link(plan);
  std::size_t busiest = 0;
  double most = 0;
  for (std::size_t link = 0; link < sent.size(); ++link) {
    if (!plan.between_switches[link]) continue;
    const double seconds = sent[link].convert_to<double>() /
                           (static_cast<double>(parts_of(1)) * plan.link_capacities[link]);
    if (seconds > most) {
      most = seconds;
      busiest = link;
    }
  }
  if (most <= 0) return std::nullopt;
  return BusyLink{link_name(cluster.graph(), plan.cluster_links[busiest]), most / step_time};
}

}  // namespace

PlacementFigures placement_figures(const JobContext& context, const PlacementRequest& request,
                                   const Plan& plan, const Timeline& timeline) {
  PlacementFigures figures;
  figures.kind = name_of(request.spec.kind);
  figures.rank_order = name_of(request.order);
  figures.nodes = request.nodes;
  figures.available_nodes = context.cluster.spec().nodes;
  figures.hops = hop_rows(context);
  figures.busiest_link = busiest_link(context.cluster, plan, to_seconds(timeline.end));
  return figures;
}

}  // namespace simtrain
