#include "sim/collectives/libraries/rccl/rccl_library.h"

#include <array>
#include <limits>
#include <utility>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"
#include "sim/core/invariant.h"

namespace simtrain {
namespace {

constexpr std::array kRcclProtocols{Protocol::ll, Protocol::ll128, Protocol::simple};

RcclEnvironment rccl(const LibraryEnvironment& environment) {
  const RcclSettings* settings = rccl_settings_of(environment.library);
  invariant(settings != nullptr, "a library has settings of its own type");
  invariant(environment.cluster.gpu.rccl.has_value(), "the GPU's file has numbers of RCCL");
  return {environment.cluster, *settings};
}

std::vector<AlgorithmRow> rccl_rows() { return {ring_row(), mesh_row(), direct_row()}; }

std::any rccl_usual_settings() { return usual_rccl(); }

std::vector<LibrarySwitch> rccl_switches(const std::any& settings) {
  return {{"MSCCL", "rccl.msccl", std::any_cast<const RcclSettings&>(settings).msccl.value}};
}

std::string rccl_kernel(const TransferCost& /*cost*/) { return "ncclDevKernel_Generic"; }

TransferCost rccl_planned(const CollectiveRequest& request, const LibraryEnvironment& environment) {
  return rccl_call(request, rccl(environment));
}

TransferCost rccl_message(Bytes bytes, Distance distance, const LibraryEnvironment& environment,
                          int /*ranks*/) {
  return rccl_send_receive(bytes, distance, rccl(environment));
}

}  // namespace

const LibraryRow& rccl_row() {
  static constexpr LibraryRow kRow{
      "rccl",
      "AMD's: rings and all-pairs over a mesh of xGMI links, rings over the NICs between nodes",
      rccl_rows,
      rccl_usual_settings,
      rccl_switches,
      rccl_kernel,
      rccl_planned,
      rccl_message,
      [](const GpuSpec& gpu) { return gpu.rccl.has_value(); }};
  return kRow;
}

CommunicationLibrary rccl_library(RcclSettings settings) {
  return {&rccl_row(), std::move(settings)};
}

const RcclSettings* rccl_settings_of(const CommunicationLibrary& library) {
  return std::any_cast<RcclSettings>(&library.settings);
}

TransferCost rccl_call(const CollectiveRequest& request, const RcclEnvironment& environment) {
  if (request.layout.ranks == 1) {
    TransferCost alone = start_cost(request, Algorithm::ring, Protocol::simple);
    alone.limit = std::numeric_limits<double>::max();
    return alone;
  }
  if (request.collective == Collective::all_to_all) return rccl_all_to_all(request, environment);
  if (request.collective == Collective::send_receive)
    return rccl_send_receive(request.bytes, request.layout.widest_hop, environment, request.layout);
  const auto plan = takes_mesh(request, environment) ? rccl_mesh : rccl_ring;
  TransferCost best = plan(request, environment, Protocol::simple);
  for (const Protocol protocol : kRcclProtocols) {
    const TransferCost cost = plan(request, environment, protocol);
    if (cost.alone() < best.alone()) best = cost;
  }
  return best;
}

}  // namespace simtrain
