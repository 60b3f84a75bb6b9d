#include "sim/topology/bisection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Flow = std::int64_t;  // whole bytes per second, so that sums do not depend on order
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<
        boost::edge_capacity_t, Flow,
        boost::property<boost::edge_residual_capacity_t, Flow,
                        boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

Flow whole(Bandwidth bandwidth) { return std::llround(bandwidth.value()); }

bool is_nvlink(VertexKind kind) { return kind == VertexKind::gpu || kind == VertexKind::nvswitch; }

/// NICs and switches, with a source and a goal tied to the NICs of either half.
class HalfFlow {
 public:
  explicit HalfFlow(const ClusterMap& map)
      : graph_(map.devices.size() + 2),
        source_(map.devices.size()),
        goal_(map.devices.size() + 1),
        host_of_gpu_(hosts_by_gpu(map)) {
    for (const Cable& cable : map.cables) {
      if (map.kind(cable.low) == VertexKind::gpu && map.kind(cable.high) == VertexKind::nic) {
        const Edge in = add(source_, cable.high, 0);
        const Edge out = add(cable.high, goal_, 0);
        ends_.push_back({host_of_gpu_[cable.low], whole(cable.bandwidth), in, out});
      } else if (!is_nvlink(map.kind(cable.low)) && !is_nvlink(map.kind(cable.high))) {
        add(cable.low, cable.high, whole(cable.bandwidth));
        add(cable.high, cable.low, whole(cable.bandwidth));
      }
    }
  }

  /// Max flow from `half` hosts, from `first` on, to all others of `hosts`.
  Flow between(int first, int half, int hosts) {
    const auto capacity = boost::get(boost::edge_capacity, graph_);
    for (const End& end : ends_) {
      const bool sends = (end.host - first + hosts) % hosts < half;
      capacity[end.in] = sends ? end.bandwidth : 0;
      capacity[end.out] = sends ? 0 : end.bandwidth;
    }
    return boost::push_relabel_max_flow(graph_, source_, goal_);
  }

 private:
  using Edge = Traits::edge_descriptor;
  struct End {
    int host;
    Flow bandwidth;
    Edge in;
    Edge out;
  };

  static std::vector<int> hosts_by_gpu(const ClusterMap& map) {
    std::vector<int> result;
    for (std::size_t host = 0; host < map.hosts.size(); ++host)
      result.resize(result.size() + static_cast<std::size_t>(map.hosts[host].gpus),
                    static_cast<int>(host));
    return result;
  }

  /// One direction; Boost wants its reverse to exist with no capacity.
  Edge add(std::size_t from, std::size_t to, Flow capacity) {
    const Edge forward = boost::add_edge(from, to, graph_).first;
    const Edge reverse = boost::add_edge(to, from, graph_).first;
    boost::put(boost::edge_capacity, graph_, forward, capacity);
    boost::put(boost::edge_capacity, graph_, reverse, 0);
    boost::put(boost::edge_reverse, graph_, forward, reverse);
    boost::put(boost::edge_reverse, graph_, reverse, forward);
    return forward;
  }

  FlowGraph graph_;
  std::size_t source_;
  std::size_t goal_;
  std::vector<int> host_of_gpu_;
  std::vector<End> ends_;
};

int gpus_of(const ClusterMap& map) {
  return map.hosts.empty() ? 0 : map.hosts.back().first_gpu + map.hosts.back().gpus;
}

Bandwidth total(const ClusterMap& map, VertexKind low, VertexKind high) {
  Bandwidth sum;
  for (const Cable& cable : map.cables) {
    if (map.kind(cable.low) == low && map.kind(cable.high) == high) sum += cable.bandwidth;
  }
  return sum;
}

/// NIC bandwidth of the hosts of a half.
Bandwidth half_nics(const ClusterMap& map, int first, int half) {
  const auto hosts = static_cast<int>(map.hosts.size());
  Bandwidth sum;
  std::size_t host = 0;
  for (const Cable& cable : map.cables) {
    if (map.kind(cable.low) != VertexKind::gpu || map.kind(cable.high) != VertexKind::nic) continue;
    const auto gpu = static_cast<int>(cable.low);
    while (gpu >= map.hosts[host].first_gpu + map.hosts[host].gpus) ++host;
    while (gpu < map.hosts[host].first_gpu) --host;
    if ((static_cast<int>(host) - first + hosts) % hosts < half) sum += cable.bandwidth;
  }
  return sum;
}

Bandwidth by_levels(const ClusterMap& map, Bandwidth nics) {
  double narrowest = nics.value();
  const bool one_unit = map.hosts.front().unit == map.hosts.back().unit;
  for (const auto& [low, high] : {std::pair{VertexKind::leaf, VertexKind::spine},
                                  std::pair{VertexKind::spine, VertexKind::core}}) {
    const double half = total(map, low, high).value() / 2;
    if (half > 0 && !one_unit) narrowest = std::min(narrowest, half);
  }
  return Bandwidth(narrowest);
}

}  // namespace

Bisection bisection(const ClusterMap& map, int most_gpus_for_flow) {
  Bisection result;
  const auto hosts = static_cast<int>(map.hosts.size());
  result.hosts = hosts / 2;
  if (result.hosts == 0) return result;
  if (gpus_of(map) > most_gpus_for_flow) {
    result.method = BisectionMethod::level_arithmetic;
    result.nics = half_nics(map, 0, result.hosts);
    result.bandwidth = by_levels(map, result.nics);
    return result;
  }
  HalfFlow flow(map);
  Flow least = flow.between(0, result.hosts, hosts);
  const int splits = hosts % 2 == 0 ? result.hosts : hosts;  // a half and its rest are one split
  for (int first = 1; first < splits; ++first) {
    const Flow found = flow.between(first, result.hosts, hosts);
    if (found >= least) continue;
    least = found;
    result.first_host = first;
  }
  result.bandwidth = Bandwidth(static_cast<double>(least));
  result.nics = half_nics(map, result.first_host, result.hosts);
  return result;
}

}  // namespace simtrain
