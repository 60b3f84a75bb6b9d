#include "sim/study/nccl/nccl_sweep.h"

#include <utility>

#include "sim/core/invariant.h"

namespace simtrain {

namespace {

/// Nothing moves where a rank is alone.
double rate(Bytes bytes, Duration time) {
  return time > Duration(0) ? static_cast<double>(bytes.value()) / to_seconds(time) : 0;
}

}  // namespace

double NcclSweepRow::algorithm_bandwidth() const { return rate(cost.bytes, time); }
double NcclSweepRow::bus_bandwidth() const { return rate(cost.wire, time); }

NcclCommunicator::NcclCommunicator(const Cluster& cluster, const NcclSettings& settings,
                                   std::vector<int> gpus)
    : cluster_(cluster),
      settings_(settings),
      gpus_(std::move(gpus)),
      layout_(layout_of(cluster, gpus_)),
      links_(cluster) {}

NcclSweepRow NcclCommunicator::of(Collective collective, Bytes bytes) const {
  const TransferCost cost = nccl_call({collective, bytes, layout_}, {cluster_.spec(), settings_});
  return {cost, cost.alone(idle_rate(cluster_, links_, cost, gpus_))};
}

std::vector<NcclSweepRow> nccl_sweep(const Cluster& cluster, const NcclSettings& settings,
                                     const NcclSweepRequest& request) {
  const NcclCommunicator calls(cluster, settings, request.gpus);
  std::vector<NcclSweepRow> rows;
  for (std::int64_t bytes = request.least.value();; bytes *= request.factor) {
    rows.push_back(calls.of(request.collective, Bytes(bytes)));
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
