#include "sim/collectives/libraries/nccl/nccl_library.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"
#include "sim/collectives/libraries/nccl/nccl_names.h"
#include "sim/collectives/libraries/nccl/tuning.h"
#include "sim/core/invariant.h"

namespace simtrain {
namespace {

template <class Name>
bool allowed(const std::optional<Sourced<std::vector<Name>>>& only, Name name) {
  return !only || std::find(only->value.begin(), only->value.end(), name) != only->value.end();
}

NcclEnvironment nccl(const LibraryEnvironment& environment) {
  const NcclSettings* settings = nccl_settings_of(environment.library);
  invariant(settings != nullptr, "a library has settings of its own type");
  return {environment.cluster, *settings};
}

std::vector<AlgorithmRow> algorithms() {
  std::vector<AlgorithmRow> rows(nccl_algorithms().begin(), nccl_algorithms().end());
  rows.push_back(direct_row());
  return rows;
}

std::any usual_settings() { return usual_nccl(kUsualNccl); }

std::vector<LibrarySwitch> switches(const std::any& settings) {
  return {{"NVLS", "nccl.nvls", std::any_cast<const NcclSettings&>(settings).nvls.value}};
}

TransferCost call(const CollectiveRequest& request, const LibraryEnvironment& environment) {
  return nccl_call(request, nccl(environment));
}

TransferCost send_receive(Bytes bytes, Distance distance, const LibraryEnvironment& environment,
                          int ranks) {
  return nccl_send_receive(bytes, distance, nccl(environment), ranks);
}

/// LL128 stores 128 bytes whole, which PCIe does not (NVIDIA/nccl src/graph/tuning.cc, as
/// remembered: ranks of a node within PATH_NVB).
bool wiring_carries(Protocol protocol, const NcclEnvironment& environment) {
  return protocol != Protocol::ll128 ||
         environment.cluster.node.gpu_wiring.value != GpuWiring::pcie;
}

}  // namespace

const LibraryRow& nccl_row() {
  static constexpr LibraryRow kRow{
      "nccl",
      "NVIDIA's, 2.18 to 2.30: takes the algorithm and protocol that are least by its own tables",
      algorithms,
      usual_settings,
      switches,
      nccl_kernel,
      call,
      send_receive,
      [](const GpuSpec& gpu) { return gpu.has_nccl(); }};
  return kRow;
}

CommunicationLibrary nccl_library(NcclSettings settings) {
  return {&nccl_row(), std::move(settings)};
}

const NcclSettings* nccl_settings_of(const CommunicationLibrary& library) {
  return std::any_cast<NcclSettings>(&library.settings);
}

TransferCost nccl_collective(const CollectiveRequest& request, const NcclEnvironment& environment) {
  invariant(request.layout.ranks > 0, "a group has ranks");
  const NcclAlgorithm ring = ring_row();
  if (request.layout.ranks == 1) {
    TransferCost alone = start_cost(request, Algorithm::ring, Protocol::simple);
    alone.limit = std::numeric_limits<double>::max();
    return alone;
  }
  const NcclAlgorithm* best = &ring;
  Protocol best_protocol = Protocol::simple;
  double least = std::numeric_limits<double>::infinity();
  for (const NcclAlgorithm& row : nccl_algorithms()) {
    if (!allowed(environment.settings.algo, row.algorithm)) continue;
    for (const Protocol protocol : kNcclProtocols) {
      if (!allowed(environment.settings.proto, protocol) ||
          !wiring_carries(protocol, environment) || !row.offers(request, environment, protocol))
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

TransferCost nccl_call(const CollectiveRequest& request, const NcclEnvironment& environment) {
  if (request.collective == Collective::all_to_all) return nccl_all_to_all(request, environment);
  if (request.collective != Collective::send_receive) return nccl_collective(request, environment);
  return nccl_send_receive(request.bytes, request.layout.widest_hop, environment,
                           request.layout.ranks);
}

}  // namespace simtrain
