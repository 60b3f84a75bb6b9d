#include "sim/topology/cluster.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "sim/core/input/input_error.h"
#include "sim/core/invariant.h"
#include "sim/topology/faults.h"
#include "sim/topology/graph/cluster_graph.h"
#include "sim/topology/graph/forwarding.h"
#include "sim/topology/graph/wiring.h"

namespace simtrain {
namespace {

/// GPUs, their NICs and the NVLink switches of each domain.
void build_hosts(const ClusterSpec& spec, const std::vector<Host>& hosts,
                 const std::vector<int>& nic_of, ClusterGraph& graph) {
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (int gpu = 0; gpu < hosts[i].gpus; ++gpu) {
      graph.add_device({VertexKind::gpu, static_cast<int>(i), gpu});
    }
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (int nic = 0; nic < hosts[i].nics; ++nic) {
      graph.add_device({VertexKind::nic, static_cast<int>(i), nic});
    }
  }
  for (std::size_t gpu = 0; gpu < nic_of.size(); ++gpu) {
    const NodeSpec& node = spec.node_of(graph[gpu].group);
    graph.connect(gpu, nic_of.size() + static_cast<std::size_t>(nic_of[gpu]),
                  node.nic_bandwidth.value * spec.fabric.link_efficiency.value, Duration(0));
  }
}

/// Each GPU of the host with each other, by an equal part of its links.
void build_mesh(const ClusterSpec& spec, const Host& host, ClusterGraph& graph) {
  const Bandwidth each = spec.gpu.nvlink.bandwidth.value / std::max(1, host.gpus - 1);
  for (int a = host.first_gpu; a < host.first_gpu + host.gpus; ++a) {
    for (int b = a + 1; b < host.first_gpu + host.gpus; ++b)
      graph.connect(static_cast<std::size_t>(a), static_cast<std::size_t>(b), each,
                    spec.gpu.nvlink.switch_latency.value);
  }
}

void build_nvlink(const ClusterSpec& spec, const std::vector<Host>& hosts, ClusterGraph& graph) {
  for (std::size_t first = 0; first < hosts.size();) {
    if (spec.node_of(static_cast<int>(first)).is_mesh()) {
      build_mesh(spec, hosts[first++], graph);
      continue;
    }
    const int planes = spec.node_of(static_cast<int>(first)).nvswitches.value;
    const Bandwidth plane_bandwidth = spec.gpu.nvlink.bandwidth.value / planes;
    std::size_t last = first;
    while (last < hosts.size() && hosts[last].domain == hosts[first].domain) ++last;
    const int last_gpu = hosts[last - 1].first_gpu + hosts[last - 1].gpus;
    for (int plane = 0; plane < planes; ++plane) {
      const std::size_t nvswitch =
          graph.add_device({VertexKind::nvswitch, hosts[first].domain, plane});
      for (int gpu = hosts[first].first_gpu; gpu < last_gpu; ++gpu) {
        graph.connect(static_cast<std::size_t>(gpu), nvswitch, plane_bandwidth,
                      spec.gpu.nvlink.switch_latency.value / 2);
      }
    }
    first = last;
  }
}

std::uint64_t mixed(std::uint64_t value) {  // splitmix64
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

}  // namespace

Cluster::Cluster(Cluster&&) noexcept = default;
Cluster::~Cluster() = default;

Cluster::Cluster(ClusterSpec spec)
    : spec_(std::move(spec)), graph_(std::make_unique<ClusterGraph>()), hosts_(hosts_of(spec_)) {
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    host_of_.insert(host_of_.end(), index(hosts_[i].gpus), static_cast<int>(i));
  }
  const std::vector<double> factors = nic_factors(spec_.faults, hosts_);
  nic_of_ = nics_in_use(spec_.faults, factors, hosts_);
  slowdown_of_ = gpu_slowdowns(spec_.faults, hosts_);
  build(factors);
  links_of_ = std::make_unique<LinksByVertex>(*graph_);
  const bool regular = !spec_.graph && spec_.faults.links.empty();
  if (!regular) forwarding_ = forwarding_tables(*graph_, *links_of_, first_switch_);
  find_ports();
  find_capacities();
  owners_ = LinkOwners(*this, *links_of_);
  if (!spec_.faults.links.empty()) refuse_parted();
}

void Cluster::build(const std::vector<double>& nic_factors) {
  build_hosts(spec_, hosts_, nic_of_, *graph_);
  build_nvlink(spec_, hosts_, *graph_);
  first_switch_ = graph_->devices.size();
  if (spec_.graph) {
    build_graph(spec_, hosts_, nic_vertex(0), *graph_);
  } else {
    for (const WiringRow& row : wirings()) {
      if (row.wiring == spec_.fabric.wiring)
        forwarding_ = row.build(spec_, hosts_, nic_vertex(0), *graph_);
    }
  }
  if (spec_.host_links) host_ways_ = build_host_links(spec_, hosts_, *graph_);
  weaken(spec_.faults, nic_factors, nic_vertex(0), *graph_);
}

void Cluster::refuse_parted() const {
  for (int gpu = 0; gpu < gpus(); ++gpu) {
    if (forwarding_->reaches(port(gpu).leaf, port(0).leaf)) continue;
    throw InputError(spec_.faults.links.front().where, "cluster.faults.links",
                     "leave no way from " + (*graph_)[port(0).leaf].name + " to " +
                         (*graph_)[port(gpu).leaf].name);
  }
}

void Cluster::find_ports() {
  ports_.resize(index(nics()));
  for (std::size_t nic = 0; nic < ports_.size(); ++nic) {
    Port& port = ports_[nic];
    const std::size_t vertex = nic_vertex(0) + nic;
    for (const int link : links_of_->out(vertex)) {
      if (graph_->to(link) < first_switch_) continue;
      const ClusterGraph::Wire& wire = graph_->wire_of(link);
      port = {graph_->to(link), link, link ^ 1, wire.latency, wire.bandwidth};
    }
  }
}

void Cluster::find_capacities() {
  capacities_.reserve(graph_->links());
  for (const ClusterGraph::Wire& wire : graph_->wires)
    capacities_.insert(capacities_.end(), 2, wire.bandwidth.value());
}

Bandwidth Cluster::usable_nic_bandwidth(int gpu) const { return port(gpu).bandwidth; }

bool Cluster::same_rail(int gpu, int other) const {
  return spec_.graph ? port(gpu).leaf == port(other).leaf : rail_of(gpu) == rail_of(other);
}

int Cluster::exit_gpu(int from_gpu, int to_gpu) const {
  const bool rails = spec_.fabric.wiring == Wiring::rail_optimized && spec_.fabric.pxn.value;
  if (!rails || same_rail(from_gpu, to_gpu)) return from_gpu;
  const auto on_rail = [&](const Host& host) {
    int gpu = host.first_gpu;
    while (gpu < host.first_gpu + host.gpus && !same_rail(gpu, to_gpu)) ++gpu;
    return gpu < host.first_gpu + host.gpus ? gpu : -1;
  };
  const int own = host_of(from_gpu);
  if (const int gpu = on_rail(hosts_[index(own)]); gpu >= 0) return gpu;
  // Hosts of one domain are adjacent.
  int first = own;
  while (first > 0 && hosts_[index(first - 1)].domain == hosts_[index(own)].domain) --first;
  for (auto i = index(first); i < hosts_.size() && hosts_[i].domain == host(from_gpu).domain; ++i) {
    if (const int gpu = on_rail(hosts_[i]); gpu >= 0) return gpu;
  }
  return from_gpu;
}

Distance Cluster::distance(int from_gpu, int to_gpu) const {
  if (from_gpu == to_gpu) return Distance::same_gpu;
  if (domain_of(from_gpu) == domain_of(to_gpu)) return Distance::nvlink_domain;
  if (port(exit_gpu(from_gpu, to_gpu)).leaf == port(to_gpu).leaf) return Distance::unit;
  const bool blocks = hosts_.front().block != hosts_.back().block;
  return blocks && host(from_gpu).block == host(to_gpu).block ? Distance::block : Distance::fabric;
}

Duration Cluster::far_latency(int from_gpu, int to_gpu) const {
  if (domain_of(from_gpu) == domain_of(to_gpu)) return Duration(0);
  return forwarding_->latency(port(exit_gpu(from_gpu, to_gpu)).leaf, port(to_gpu).leaf);
}

Route Cluster::route(int from_gpu, int to_gpu, std::uint64_t salt) const {
  Route route;
  if (from_gpu == to_gpu) return route;
  if (domain_of(from_gpu) == domain_of(to_gpu)) {
    add_nvlink(route, from_gpu, to_gpu);
    return route;
  }
  const int exit = exit_gpu(from_gpu, to_gpu);
  if (exit != from_gpu) add_nvlink(route, from_gpu, exit);
  const Port& out = port(exit);
  const Port& in = port(to_gpu);
  add_link(route, gpu_vertex(exit), nic_vertex(nic_of(exit)));
  route.links.push_back({out.up, 1});
  if (spec_.fabric.routing.value == Routing::ecmp) {
    const auto pair = static_cast<std::uint64_t>(from_gpu) << 32U | static_cast<unsigned>(to_gpu);
    add_hashed(route, out.leaf, in.leaf, mixed(mixed(pair) ^ salt));
  } else {
    add_spread(route, out.leaf, in.leaf);
  }
  route.links.push_back({in.down, 1});
  add_link(route, nic_vertex(nic_of(to_gpu)), gpu_vertex(to_gpu));
  route.latency += out.latency + in.latency;
  return route;
}

void Cluster::add_nvlink(Route& route, int from_gpu, int to_gpu) const {
  if (spec_.node_of(host_of(from_gpu)).is_mesh())
    return add_link(route, gpu_vertex(from_gpu), gpu_vertex(to_gpu));
  const double share = 1.0 / spec_.node_of(host_of(from_gpu)).nvswitches.value;
  Duration slowest(0);
  const auto take = [&](int link) {
    route.links.push_back({link, share});
    slowest = std::max(slowest, graph_->wire_of(link).latency);
  };
  const auto up = [&](int link) {
    return (*graph_)[graph_->to(link)].kind == VertexKind::nvswitch;
  };
  for (const int link : links_of_->out(gpu_vertex(from_gpu))) {
    if (up(link)) take(link);
  }
  for (const int link : links_of_->out(gpu_vertex(to_gpu))) {
    if (up(link)) take(link ^ 1);
  }
  route.latency += 2 * slowest;
}

void Cluster::add_link(Route& route, std::size_t from, std::size_t to) const {
  const std::span<const int> links = links_of_->out(from);
  const auto link = std::find_if(links.begin(), links.end(),
                                 [&](int candidate) { return graph_->to(candidate) == to; });
  invariant(link != links.end(),
            "a GPU is connected to its NIC, and in a mesh to every other of its node");
  route.links.push_back({*link, 1});
  route.latency += graph_->wire_of(*link).latency;
}

void Cluster::add_spread(Route& route, std::size_t from, std::size_t to) const {
  route.latency += forwarding_->latency(from, to);
  std::map<std::size_t, double> here{{from, 1.0}};  // what arrives at the switches of one level
  for (int left = forwarding_->hops(from, to); left > 0; --left) {
    std::map<std::size_t, double> there;
    for (const auto& [vertex, arriving] : here) {
      const NextHops next = forwarding_->next(vertex, to);
      const double share = arriving / static_cast<double>(next.size());
      for (std::size_t i = 0; i < next.size(); ++i) {
        route.links.push_back({next[i].link, share});
        there[next[i].to] += share;
      }
    }
    here = std::move(there);
  }
}

void Cluster::add_hashed(Route& route, std::size_t from, std::size_t to, std::uint64_t hash) const {
  route.latency += forwarding_->latency(from, to);
  for (std::size_t vertex = from; vertex != to;) {
    const NextHops next = forwarding_->next(vertex, to);
    const NextHop hop = next[mixed(hash ^ vertex) % next.size()];
    route.links.push_back({hop.link, 1});
    vertex = hop.to;
  }
}

Route Cluster::spread_route(int from_gpu, int to_gpu, int connections) const {
  if (spec_.fabric.routing.value != Routing::ecmp) return route(from_gpu, to_gpu);
  Route sum;
  std::map<int, int> taken;  // connections by link
  for (int salt = 0; salt < connections; ++salt) {
    const Route one = route(from_gpu, to_gpu, static_cast<std::uint64_t>(salt));
    sum.latency = std::max(sum.latency, one.latency);
    for (const LinkShare& use : one.links) ++taken[use.link];
  }
  for (const auto& [link, times] : taken) {
    sum.links.push_back({link, static_cast<double>(times) / connections});
  }
  return sum;
}

bool Cluster::ways_stay_below_leaves() const {
  const bool one_leaf = std::all_of(ports_.begin(), ports_.end(), [&](const Port& port) {
    return port.leaf == ports_.front().leaf;
  });
  const bool rails =
      !spec_.graph && spec_.fabric.wiring == Wiring::rail_optimized && spec_.fabric.pxn.value;
  return one_leaf || (rails && hosts_.back().unit == 0 && !moved_nics());
}

bool Cluster::ways_never_branch() const {
  for (std::size_t vertex = first_switch_; vertex < graph_->devices.size(); ++vertex) {
    const std::span<const int> links = links_of_->out(vertex);
    const auto upward = std::count_if(links.begin(), links.end(), [&](int link) {
      return (*graph_)[graph_->to(link)].kind > (*graph_)[vertex].kind;
    });
    if (upward > 1) return false;
  }
  return true;
}

bool Cluster::inner_links_never_bind() const {
  if (ways_stay_below_leaves()) return true;
  if (spec_.graph || !spec_.faults.links.empty()) return false;
  const FabricSpec& fabric = spec_.fabric;
  const bool third_level = hosts_.back().block > 0;
  return fabric.oversubscription.value <= 1 &&
         (!third_level || fabric.core_oversubscription.value <= 1) &&
         (fabric.routing.value != Routing::ecmp || ways_never_branch());
}

bool Cluster::moved_nics() const {
  for (int gpu = 0; gpu < gpus(); ++gpu) {
    const Host& own = host(gpu);
    if (rail_of(gpu) != (gpu - own.first_gpu) * own.nics / own.gpus) return true;
  }
  return false;
}

}  // namespace simtrain
