#include "sim/topology/cluster.h"

#include <limits>
#include <queue>
#include <utility>

#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/function_property_map.hpp>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

using Ticks = Duration::rep;

/// Ways are ordered by NIC links first and latency second: NVLink before network, as NCCL does.
constexpr Ticks kNicLink = 1'000'000'000'000;

/// GPUs, their NICs and the NVLink switches of each domain.
void build_nodes(const ClusterSpec& spec, ClusterGraph& graph) {
  const int per_node = spec.node.gpus;
  for (int gpu = 0; gpu < spec.gpus(); ++gpu) {
    boost::add_vertex({VertexKind::gpu, gpu / per_node, gpu % per_node}, graph);
  }
  for (int gpu = 0; gpu < spec.gpus(); ++gpu) {
    const auto nic = boost::add_vertex({VertexKind::nic, gpu / per_node, gpu % per_node}, graph);
    connect(graph, gpu_vertex(gpu), nic, spec.usable_nic_bandwidth(), Duration(0));
  }
  const int domain_gpus = per_node * spec.node.nvlink_domain_nodes.value;
  const int planes = spec.node.nvswitches.value;
  const Bandwidth plane_bandwidth = spec.gpu.nvlink.bandwidth.value / planes;
  for (int first = 0; first < spec.gpus(); first += domain_gpus) {
    for (int plane = 0; plane < planes; ++plane) {
      const auto nvswitch =
          boost::add_vertex({VertexKind::nvswitch, first / domain_gpus, plane}, graph);
      for (int gpu = first; gpu < std::min(first + domain_gpus, spec.gpus()); ++gpu) {
        connect(graph, gpu_vertex(gpu), nvswitch, plane_bandwidth,
                spec.gpu.nvlink.switch_latency.value / 2);
      }
    }
  }
}

/// Ports of one switch: 64 ports of 400 Gb/s (NVIDIA QM9700, SN5600 class).
constexpr int kSwitchPorts = 64;

/// Each rail of a unit has a leaf of its own; every leaf reaches every spine with equal bandwidth.
void build_rail_optimized(const ClusterSpec& spec, ClusterGraph& graph) {
  const FabricSpec& fabric = spec.fabric;
  const int per_unit = fabric.nodes_per_unit.value;
  const int units = (spec.nodes + per_unit - 1) / per_unit;
  const int rails = spec.node.nics.value;
  const Duration hop = fabric.switch_latency.value + fabric.cable_latency.value;
  const double uplinks = per_unit / fabric.oversubscription.value;
  const int spines =
      std::max(1, static_cast<int>(std::ceil(units * rails * uplinks / kSwitchPorts)));

  const auto first_spine = boost::num_vertices(graph);
  for (int spine = 0; spine < spines; ++spine) {
    boost::add_vertex({VertexKind::spine, 0, spine}, graph);
  }
  for (int unit = 0; unit < units; ++unit) {
    for (int rail = 0; rail < rails; ++rail) {
      const auto leaf = boost::add_vertex({VertexKind::leaf, unit, rail}, graph);
      const int last_node = std::min((unit + 1) * per_unit, spec.nodes);
      for (int node = unit * per_unit; node < last_node; ++node) {
        connect(graph, nic_vertex(spec, node * spec.node.gpus + rail), leaf,
                spec.usable_nic_bandwidth(), hop);
      }
      for (int spine = 0; spine < spines; ++spine) {
        connect(graph, leaf, first_spine + static_cast<std::size_t>(spine),
                spec.node.nic_bandwidth.value * (uplinks / spines), hop);
      }
    }
  }
}

/// Every link of a slow NIC takes its share of the bandwidth.
void slow_down(const ClusterSpec& spec, const SlowNic& slow, ClusterGraph& graph) {
  const std::size_t nic = nic_vertex(spec, slow.host * spec.node.gpus + slow.nic);
  for (const auto edge : boost::make_iterator_range(boost::out_edges(nic, graph)))
    graph[edge].bandwidth = graph[edge].bandwidth * slow.bandwidth_share;
  for (const auto edge : boost::make_iterator_range(boost::in_edges(nic, graph)))
    graph[edge].bandwidth = graph[edge].bandwidth * slow.bandwidth_share;
}

}  // namespace

const std::vector<WiringRow>& wirings() {
  static const std::vector<WiringRow> rows{
      {"rail-optimized", Wiring::rail_optimized, build_rail_optimized,
       "a leaf switch per rail and unit, all leaves on all spines (DGX SuperPOD, GCP A4)"}};
  return rows;
}

void connect(ClusterGraph& graph, std::size_t a, std::size_t b, Bandwidth bandwidth,
             Duration latency) {
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    const int id = static_cast<int>(boost::num_edges(graph));
    boost::add_edge(from, to, Link{bandwidth, std::max(latency, Duration(1)), id}, graph);
  }
}

Cluster::Cluster(ClusterSpec spec) : spec_(std::move(spec)) {
  build_nodes(spec_, graph_);
  for (const WiringRow& row : wirings()) {
    if (row.wiring == spec_.fabric.wiring) row.build(spec_, graph_);
  }
  for (const SlowNic& slow : spec_.slow_nics) slow_down(spec_, slow, graph_);
}

std::vector<double> Cluster::capacities() const {
  std::vector<double> result(boost::num_edges(graph_));
  for (const auto edge : boost::make_iterator_range(boost::edges(graph_))) {
    const Link& link = graph_[edge];
    result[static_cast<std::size_t>(link.id)] = link.bandwidth.value();
  }
  return result;
}

Distance Cluster::distance(int from_gpu, int to_gpu) const {
  if (from_gpu == to_gpu) return Distance::same_gpu;
  const int from_node = from_gpu / spec_.node.gpus;
  const int to_node = to_gpu / spec_.node.gpus;
  const int domain = spec_.node.nvlink_domain_nodes.value;
  if (from_node / domain == to_node / domain) return Distance::nvlink_domain;
  const int unit = spec_.fabric.nodes_per_unit.value;
  return from_node / unit == to_node / unit ? Distance::unit : Distance::fabric;
}

Route Cluster::route(int from_gpu, int to_gpu) const {
  if (from_gpu == to_gpu) return {};
  const auto weight = [this](const ClusterGraph::edge_descriptor& edge) {
    const bool nic = graph_[boost::source(edge, graph_)].kind == VertexKind::nic ||
                     graph_[boost::target(edge, graph_)].kind == VertexKind::nic;
    return graph_[edge].latency.count() + (nic ? kNicLink : 0);
  };
  std::vector<Ticks> distance(boost::num_vertices(graph_));
  boost::dijkstra_shortest_paths(
      graph_, gpu_vertex(from_gpu),
      boost::weight_map(boost::make_function_property_map<ClusterGraph::edge_descriptor>(weight))
          .distance_map(distance.data()));
  const Ticks goal_distance = distance[gpu_vertex(to_gpu)];
  invariant(goal_distance < std::numeric_limits<Ticks>::max(), "the cluster is connected");

  // Walk back from the goal, farthest first, sharing what arrives over all tight links.
  Route route;
  route.latency = Duration(goal_distance % kNicLink);
  std::vector<double> arriving(distance.size());
  arriving[gpu_vertex(to_gpu)] = 1;
  std::priority_queue<std::pair<Ticks, std::size_t>> open;
  open.emplace(goal_distance, gpu_vertex(to_gpu));
  while (!open.empty()) {
    const std::size_t vertex = open.top().second;
    open.pop();
    std::vector<ClusterGraph::edge_descriptor> tight;
    for (const auto edge : boost::make_iterator_range(boost::in_edges(vertex, graph_))) {
      if (distance[boost::source(edge, graph_)] + weight(edge) == distance[vertex]) {
        tight.push_back(edge);
      }
    }
    for (const auto edge : tight) {
      const std::size_t before = boost::source(edge, graph_);
      const double share = arriving[vertex] / static_cast<double>(tight.size());
      route.links.push_back({graph_[edge].id, share});
      if (arriving[before] == 0) open.emplace(distance[before], before);
      arriving[before] += share;
    }
  }
  return route;
}

bool Cluster::inner_links_never_bind() const { return spec_.fabric.oversubscription.value <= 1.0; }

}  // namespace simtrain
