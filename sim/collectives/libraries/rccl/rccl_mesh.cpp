#include "sim/collectives/libraries/rccl/rccl_algorithms.h"
#include "sim/collectives/libraries/rccl/rccl_links.h"

namespace simtrain {
namespace {

/// Part k is summed at rank k, which gives the sum to all.
Schedule mesh_schedule(Collective collective, const GroupShape& shape) {
  const int ranks = shape.ranks();
  Schedule schedule;
  schedule.parts = ranks;
  schedule.share = 1.0 / ranks;
  for (const bool reduce : {true, false}) {
    if (collective == (reduce ? Collective::all_gather : Collective::reduce_scatter)) continue;
    for (int owner = 0; owner < ranks; ++owner) {
      for (int other = 0; other < ranks; ++other) {
        if (other == owner) continue;
        schedule.moves.push_back({reduce ? other : owner, reduce ? owner : other, owner, reduce});
      }
    }
  }
  return schedule;
}

SentBytes mesh_sent(Collective collective, double bytes, const GroupShape& shape, int /*rank*/) {
  const double rounds = collective == Collective::all_reduce ? 2 : 1;
  return {rounds * bytes * (shape.ranks() - 1) / shape.ranks(), 0};
}

}  // namespace

AlgorithmRow mesh_row() {
  return {Algorithm::mesh,
          "every rank of a node with each by a link of their own (MSCCL); all-reduce, all-gather "
          "and reduce-scatter",
          mesh_schedule, mesh_sent};
}

bool takes_mesh(const CollectiveRequest& request, const RcclEnvironment& environment) {
  const RcclSettings& settings = environment.settings;
  return settings.msccl.value && environment.cluster.node.is_mesh() &&
         request.layout.domains == 1 && request.collective <= Collective::reduce_scatter &&
         request.bytes <= settings.msccl_largest.value;
}

TransferCost rccl_mesh(const CollectiveRequest& request, const RcclEnvironment& environment,
                       Protocol protocol) {
  const RcclProtocolSpec& spec = environment.gpu().protocol(static_cast<std::size_t>(protocol));
  TransferCost cost = start_cost(request, Algorithm::mesh, protocol);
  const RcclLinks links = rccl_links(request.layout, environment.cluster);
  const int rounds = request.collective == Collective::all_reduce ? 2 : 1;
  set_time(cost, spec.base + rounds * spec.hop,
           static_cast<double>(cost.wire.value()) / (links.all * spec.link_share));
  cost.load = busiest_load(mesh_row(), request);
  cost.sms = environment.gpu().channels_per_link.value * (request.layout.ranks - 1);
  return cost;
}

}  // namespace simtrain
