#include "sim/study/nccl_sweep.h"

#include "sim/collectives/group_links.h"
#include "sim/core/invariant.h"

namespace simtrain {

double NcclSweepRow::algorithm_bandwidth() const {
  return static_cast<double>(cost.bytes.value()) / to_seconds(time);
}
double NcclSweepRow::bus_bandwidth() const {
  return static_cast<double>(cost.wire.value()) / to_seconds(time);
}

std::vector<NcclSweepRow> nccl_sweep(const Cluster& cluster, const NcclSettings& settings,
                                     const NcclSweepRequest& request) {
  const NcclEnvironment environment{cluster.spec(), settings};
  const GroupLayout layout = layout_of(cluster, request.gpus);
  const GroupLinks links(cluster);
  std::vector<NcclSweepRow> rows;
  for (std::int64_t bytes = request.least.value();; bytes *= request.factor) {
    const TransferCost cost = plan_call({request.collective, Bytes(bytes), layout}, environment);
    rows.push_back({cost, cost.alone(idle_rate(cluster, links, cost, request.gpus))});
    if (bytes > request.most.value() / request.factor) return rows;
  }
}

std::vector<int> first_gpus(const Cluster& cluster, int nodes, int count) {
  std::vector<int> gpus;
  gpus.reserve(static_cast<std::size_t>(count));
  const int per_node = count / nodes;
  for (int rank = 0; rank < count; ++rank) {
    const Host& host = cluster.hosts()[static_cast<std::size_t>(rank / per_node)];
    invariant(rank % per_node < host.gpus, "a host has the GPUs that are asked of it");
    gpus.push_back(host.first_gpu + rank % per_node);
  }
  return gpus;
}

}  // namespace simtrain
