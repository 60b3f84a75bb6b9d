#pragma once

#include <array>
#include <limits>

#include "sim/collectives/libraries/nccl/channels.h"

namespace simtrain {

/// Latencies of an algorithm in NCCL's tables, in microseconds, each for LL, LL128 and Simple: what
/// a call costs once, and a step inside a domain and between two.
struct TuningLatencies {
  std::array<double, 3> base;
  std::array<double, 3> inside;
  std::array<double, 3> between;
};

/// What NCCL counts of a call, by the tables of its version (NVIDIA/nccl src/graph/tuning.cc, 2.18
/// to 2.30): microseconds, and GB/s in units of the call's size. As made: not to be used.
struct TuningCount {
  double latency = std::numeric_limits<double>::infinity();
  double bandwidth = 0;
};

/// A call that NCCL looks up in its tables, and what all algorithms' rows count with.
struct TuningCall {
  const CollectiveRequest& request;
  Protocol protocol;
  const NcclEnvironment& environment;
  ChannelGraph ring = ring_graph(request.layout, environment);

  [[nodiscard]] NcclVersion version() const { return environment.settings.version.value; }
  [[nodiscard]] Architecture architecture() const { return environment.cluster.gpu.architecture; }
  [[nodiscard]] bool all_reduce() const { return request.collective == Collective::all_reduce; }
  /// Of a ring.
  [[nodiscard]] int steps() const { return (all_reduce() ? 2 : 1) * (request.layout.ranks - 1); }
  /// Other ranks of a domain.
  [[nodiscard]] double within() const { return request.layout.ranks_per_domain() - 1; }
  /// Of trees over the domains, rounded down.
  [[nodiscard]] int levels() const;
  /// Channels for caps of one: they count those of the search, which are doubled only when
  /// connected.
  [[nodiscard]] double channels() const { return ring.channels / 2.0; }
  /// Of tables by protocol: LL, LL128, Simple.
  [[nodiscard]] std::size_t by_protocol() const { return static_cast<std::size_t>(protocol); }
  /// Of tables by domains: one, two, more.
  [[nodiscard]] std::size_t by_domains() const;
};

/// Caps of bandwidth by GPU and version, in GB/s.
struct TuningCaps {
  using ByDomains = std::array<double, 3>;  ///< one, two, more
  double ll = 0;                            ///< all channels together, one domain
  ByDomains ring_ll128{};                   ///< a channel
  ByDomains tree_ll128{};
  ByDomains tree_simple{};
};
TuningCaps tuning_caps(Architecture architecture, NcclVersion version);

/// LL bandwidth that NCCL counts at most over all channels, in GB/s: inside a domain by version and
/// architecture, over two or more by the hosts' processors.
double ll_bandwidth_cap(const GroupLayout& layout, const NcclEnvironment& environment);

/// What NCCL itself thinks a call takes, in seconds: `latency + bytes / bandwidth` as the
/// algorithm's row counts them. This is what it chooses by, not what a call takes: the tables know
/// little of GPU generations and nothing of the fabric. Infinite where NCCL would not use the pair.
/// Not for all-to-all and send/receive, where nothing is chosen.
double tuning_seconds(const CollectiveRequest& request, Algorithm algorithm, Protocol protocol,
                      const NcclEnvironment& environment);

}  // namespace simtrain
