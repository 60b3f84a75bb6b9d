#include "sim/collectives/libraries/nccl/tuning.h"

#include <algorithm>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"

namespace simtrain {

int TuningCall::levels() const {
  int log = 0;
  for (int domains = request.layout.domains; domains > 1; domains /= 2) ++log;
  return log;
}

std::size_t TuningCall::by_domains() const {
  return static_cast<std::size_t>(std::clamp(request.layout.domains, 1, 3) - 1);
}

TuningCaps tuning_caps(Architecture architecture, NcclVersion version) {
  switch (architecture) {
    case Architecture::ampere:
    case Architecture::ada:
      return {87.7, {20, 20, 20}, {20, 20, 20}, {24, 23.6, 17.8}};
    case Architecture::hopper: {
      const double ll = version < NcclVersion{2, 21, 0} ? 87.7 : 141;
      return {ll, {36.7, 36.7, 36.7}, {36.7, 36.7, 29}, {38.7, 41.4, 36}};
    }
    case Architecture::blackwell: {
      const bool own = version >= NcclVersion{2, 25, 0};  // before, Blackwell is counted as Hopper
      TuningCaps caps =
          own ? TuningCaps{282, {73.4, 73.4, 73.4}, {73.4, 73.4, 58}, {77.4, 82.8, 72}}
              : tuning_caps(Architecture::hopper, version);
      if (version >= NcclVersion{2, 28, 3}) {
        caps.tree_ll128 = {55.6, 31.67, 20};
        caps.tree_simple = {70, 42.8, 24};
      }
      if (version >= NcclVersion{2, 28, 9}) caps.ring_ll128 = {73.4, 34.6, 73.4};
      if (version >= NcclVersion{2, 29, 2}) caps.ring_ll128 = {34.5, 34.6, 34.5};
      if (version >= NcclVersion{2, 29, 7}) caps.ring_ll128 = {40, 40, 40};
      return caps;
    }
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::cdna4:
      break;
  }
  return {};
}

double ll_bandwidth_cap(const GroupLayout& layout, const NcclEnvironment& environment) {
  const ClusterSpec& cluster = environment.cluster;
  if (layout.domains == 1)
    return tuning_caps(cluster.gpu.architecture, environment.settings.version.value).ll;
  const bool amd = cluster.node.host_cpu.value == HostCpu::amd;
  if (layout.domains == 2) return amd ? 22.5 : 39.0;
  return amd ? 19.0 : 20.4;
}

double tuning_seconds(const CollectiveRequest& request, Algorithm algorithm, Protocol protocol,
                      const NcclEnvironment& environment) {
  const std::span<const NcclAlgorithm> rows = nccl_algorithms();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const NcclAlgorithm& one) {
    return one.algorithm == algorithm;
  });
  const TuningCount count =
      row == rows.end() ? TuningCount{} : row->counts({request, protocol, environment});
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (!(count.bandwidth > 0) || count.latency == kNever) return kNever;
  return count.latency * 1e-6 +
         static_cast<double>(request.bytes.value()) / (count.bandwidth * 1e9);
}

}  // namespace simtrain
