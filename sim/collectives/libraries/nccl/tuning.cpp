#include "sim/collectives/libraries/nccl/tuning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace simtrain {
namespace {

// All tables: NVIDIA/nccl src/graph/tuning.cc. Latencies in microseconds, by LL, LL128, Simple.
using ByProtocol = std::array<double, 3>;
using ByDomains = std::array<double, 3>;  ///< one domain, two, more; GB/s

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr NcclVersion k221{2, 21, 0};
constexpr NcclVersion k223{2, 23, 0};
constexpr NcclVersion k225{2, 25, 0};
constexpr NcclVersion k228{2, 28, 0};
constexpr NcclVersion k2283{2, 28, 3};
constexpr NcclVersion k2289{2, 28, 9};
constexpr NcclVersion k2292{2, 29, 2};
constexpr NcclVersion k2297{2, 29, 7};

struct Caps {
  double ll;              ///< all channels together, one domain
  ByDomains ring_ll128;   ///< a channel
  ByDomains tree_ll128;   ///< a channel
  ByDomains tree_simple;  ///< a channel
};

Caps caps_of(Architecture architecture, NcclVersion version) {
  switch (architecture) {
    case Architecture::ampere:
    case Architecture::ada:
      return {87.7, {20, 20, 20}, {20, 20, 20}, {24, 23.6, 17.8}};
    case Architecture::hopper: {
      return {version < k221 ? 87.7 : 141, {36.7, 36.7, 36.7}, {36.7, 36.7, 29}, {38.7, 41.4, 36}};
    }
    case Architecture::blackwell: {
      const bool own = version >= k225;  // before, Blackwell is counted as Hopper
      Caps caps = own ? Caps{282, {73.4, 73.4, 73.4}, {73.4, 73.4, 58}, {77.4, 82.8, 72}}
                      : caps_of(Architecture::hopper, version);
      if (version >= k2283) {
        caps.tree_ll128 = {55.6, 31.67, 20};
        caps.tree_simple = {70, 42.8, 24};
      }
      if (version >= k2289) caps.ring_ll128 = {73.4, 34.6, 73.4};
      if (version >= k2292) caps.ring_ll128 = {34.5, 34.6, 34.5};
      if (version >= k2297) caps.ring_ll128 = {40, 40, 40};
      return caps;
    }
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::cdna4:
      break;
  }
  return {};
}

std::size_t index(Protocol protocol) { return static_cast<std::size_t>(protocol); }
std::size_t domains_index(const GroupLayout& layout) {
  return static_cast<std::size_t>(std::clamp(layout.domains, 1, 3) - 1);
}

struct Latencies {
  ByProtocol base;
  ByProtocol inside;
  ByProtocol between;
};

Latencies latencies_of(Algorithm algorithm, NcclVersion version) {
  const double nvls = version < k221 ? 23 : 25;
  switch (algorithm) {
    case Algorithm::ring:
      return {{6.6, 14, 8.4}, {0.6, 1.9, 3.4}, {2.7, 4.0, 14}};
    case Algorithm::tree:
      return version < k223 ? Latencies{{6.8, 14, 0}, {0.6, 1.25, 28}, {5.0, 8.5, 28}}
                            : Latencies{{6.8, 14, 8.4}, {0.6, 1.25, 4.0}, {5.0, 8.5, 14}};
    case Algorithm::collnet_direct:
      return {{0, 0, 0}, {kNone, kNone, 3.7}, {kNone, kNone, 31}};
    case Algorithm::collnet_chain:
      return {{0, 0, 0}, {kNone, kNone, 2.8}, {kNone, kNone, 30}};
    case Algorithm::nvls:
      return {{0, 0, 0}, {kNone, kNone, nvls}, {kNone, kNone, 18}};
    case Algorithm::nvls_tree:
      return {{0, 0, 0}, {kNone, kNone, nvls}, {kNone, kNone, version < k2289 ? 14 : 20.9}};
    case Algorithm::pat:
      return {{8, 8, 8}, {kNone, kNone, 4.0}, {kNone, kNone, 14}};
    default:
      return {{kNone, kNone, kNone}, {}, {}};
  }
}

int whole_log2(int number) {
  int log = 0;
  while (number > 1) {
    number /= 2;
    ++log;
  }
  return log;
}

/// What a step costs at least where a call leaves the node, in microseconds: by the hosts'
/// processors, three times that with Simple.
double network_overhead(Protocol protocol, const NcclEnvironment& environment) {
  const double one = environment.cluster.node.host_cpu.value == HostCpu::amd ? 2 : 1;
  return protocol == Protocol::simple ? 3 * one : one;
}

double tuning_latency(const CollectiveRequest& request, Algorithm algorithm, Protocol protocol,
                      const NcclEnvironment& environment) {
  const GroupLayout& layout = request.layout;
  const NcclVersion version = environment.settings.version.value;
  const Latencies table = latencies_of(algorithm, version);
  const std::size_t p = index(protocol);
  const double base = table.base[p];
  const double inside = table.inside[p];
  const double between = table.between[p];
  const double within = layout.ranks_per_domain() - 1;
  const int levels = whole_log2(layout.domains);
  const int rounds = request.collective == Collective::all_reduce ? 2 : 1;
  switch (algorithm) {
    case Algorithm::ring: {
      const int steps = rounds * (layout.ranks - 1);
      const int crossing = rounds * (layout.domains - 1) +
                           (rounds == 2 && version < k223 && layout.domains > 1 ? 2 : 0);
      const double overhead = layout.domains == 1 ? 0.0 : network_overhead(protocol, environment);
      return base + (steps - crossing) * std::max(inside, overhead) + crossing * between;
    }
    case Algorithm::tree:
      return base + 2 * (within * inside + levels * between);
    case Algorithm::collnet_direct:
      return 2 * (std::min(1.0, within) * inside + within * 0.4) + between;
    case Algorithm::collnet_chain:
      return 2 * within * inside + between;
    case Algorithm::nvls:
      return inside + (layout.domains > 1 ? between : 0);
    case Algorithm::nvls_tree:
      return inside + 2 * levels * between;
    case Algorithm::pat:
      return base + levels * between / 3.5 + layout.domains * 2.8;
    default:
      return kNone;
  }
}

/// Bytes per microsecond that NCCL counts, in units of the call's size.
double tuning_bandwidth(const CollectiveRequest& request, Algorithm algorithm, Protocol protocol,
                        const NcclEnvironment& environment) {
  const GroupLayout& layout = request.layout;
  const NcclVersion version = environment.settings.version.value;
  const Architecture architecture = environment.cluster.gpu.architecture;
  const Caps caps = caps_of(architecture, version);
  const std::size_t d = domains_index(layout);
  const ChannelGraph ring = ring_graph(layout, environment);
  const double bus = ring.total();
  // The caps per channel count those of the search, which are doubled only when connected.
  const double counted = ring.channels / 2.0;
  const bool all_reduce = request.collective == Collective::all_reduce;
  const int steps = (all_reduce ? 2 : 1) * (layout.ranks - 1);
  switch (algorithm) {
    case Algorithm::ring: {
      double bandwidth = bus;
      if (protocol == Protocol::ll) {
        const double share = version >= k221                    ? 0.5
                             : all_reduce || layout.domains > 1 ? 0.25
                                                                : 1 / 3.0;
        bandwidth = std::min(ll_bandwidth_cap(layout, environment), bus * share);
      } else if (protocol == Protocol::ll128) {
        bandwidth = std::min(0.92 * bus, counted * caps.ring_ll128[d]);
      }
      return bandwidth * layout.ranks / steps;
    }
    case Algorithm::tree: {
      double bandwidth = std::min(0.92 * bus, counted * caps.tree_simple[d]);
      if (protocol == Protocol::ll)
        bandwidth = std::min(bandwidth / 3.8, ll_bandwidth_cap(layout, environment));
      if (protocol == Protocol::ll128)
        bandwidth = std::min(bandwidth * (layout.domains == 1 ? 7.0 / 9 : 120.0 / 128),
                             counted * caps.tree_ll128[d]);
      return bandwidth / 2;
    }
    case Algorithm::nvls: {
      const ChannelGraph graph = nvls_graph(layout, environment);
      const int heads = nvls_heads(layout, environment.settings);
      return heads * graph.bandwidth * 5 / 6;
    }
    case Algorithm::nvls_tree: {
      const double cap = version < k228                            ? kNone
                         : architecture == Architecture::blackwell ? (d == 1 ? 96.0 : 43.1)
                                                                   : (d == 1 ? 57.7 : 45.5);
      return std::min(bus, counted * cap) * 5 / 6;
    }
    case Algorithm::collnet_direct:
      return bus * (architecture == Architecture::ampere ? 1.0 : 0.85);
    case Algorithm::collnet_chain:
      return bus / 2;
    case Algorithm::pat:
      return bus * (version < NcclVersion{2, 24, 0} ? 0.85 : 0.75) * layout.ranks / steps;
    default:
      return 0;
  }
}

/// NCCL's factor on the bandwidth of trees from 64 bytes on, by powers of two.
double tree_correction(Protocol protocol, Bytes bytes) {
  constexpr std::array<std::array<double, 23>, 3> kFactors{
      {{1,   1,   1,   1,   0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
        0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1,   1,   1,   1},
       {1,   1,   1,   1,   1,   0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6,
        0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1,   1},
       {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
        0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9}}};
  std::size_t power = 0;
  for (std::int64_t rest = bytes.value() / 64; rest > 1; rest /= 2) ++power;
  return bytes.value() < 64 || power >= 23 ? 1.0 : kFactors[index(protocol)][power];
}

}  // namespace

double ll_bandwidth_cap(const GroupLayout& layout, const NcclEnvironment& environment) {
  const ClusterSpec& cluster = environment.cluster;
  if (layout.domains == 1)
    return caps_of(cluster.gpu.architecture, environment.settings.version.value).ll;
  const bool amd = cluster.node.host_cpu.value == HostCpu::amd;
  if (layout.domains == 2) return amd ? 22.5 : 39.0;
  return amd ? 19.0 : 20.4;
}

double tuning_seconds(const CollectiveRequest& request, Algorithm algorithm, Protocol protocol,
                      const NcclEnvironment& environment) {
  double latency = tuning_latency(request, algorithm, protocol, environment);
  double bandwidth = tuning_bandwidth(request, algorithm, protocol, environment);
  if (!(bandwidth > 0) || latency == kNone) return kNone;
  if (algorithm == Algorithm::tree) bandwidth *= tree_correction(protocol, request.bytes);
  const GroupLayout& layout = request.layout;
  const auto bytes = static_cast<double>(request.bytes.value());
  const int channels = ring_graph(layout, environment).channels;
  if (algorithm == Algorithm::ring && protocol == Protocol::simple && layout.domains > 1 &&
      request.collective == Collective::all_reduce && bytes / channels / layout.ranks >= 64) {
    latency *= 1.4;
  }
  return latency * 1e-6 + bytes / (bandwidth * 1e9);
}

}  // namespace simtrain
