#include "sim/topology/faults.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/suggestion.h"
#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {
namespace {

std::string fault_item(const char* list, std::size_t i) {
  return fmt::format("cluster.faults.{}[{}]", list, i);
}

bool is_called(const Host& host, std::size_t number, const std::string& name) {
  return host.name == name || std::to_string(number) == name;
}

[[noreturn]] void refuse_unknown_host(const std::string& name, const SourcePlace& where,
                                      const std::string& key, const std::vector<Host>& hosts) {
  std::vector<std::string> known;
  known.reserve(hosts.size());
  for (const Host& host : hosts) known.push_back(host.name);
  throw InputError(
      where, key + ".host",
      fmt::format("'{}' is no host of this cluster; {}", name, suggestion(name, known)));
}

/// The switches of a graph by name, and the wires between each two.
class SwitchWires {
 public:
  explicit SwitchWires(const ClusterGraph& graph) {
    for (std::size_t vertex = 0; vertex < graph.devices.size(); ++vertex)
      if (!graph[vertex].name.empty()) switches_.emplace(graph[vertex].name, vertex);
    for (std::size_t i = 0; i < graph.wires.size(); ++i) {
      const ClusterGraph::Wire& wire = graph.wires[i];
      if (graph[wire.a].name.empty() || graph[wire.b].name.empty()) continue;
      wires_[std::minmax<std::size_t>(wire.a, wire.b)].push_back(i);
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& between(const LinkFault& fault,
                                                        const std::string& key) const {
    const std::size_t a = find(fault.from, fault, key + ".from");
    const std::size_t b = find(fault.to, fault, key + ".to");
    const auto wires = wires_.find(std::minmax(a, b));
    if (wires == wires_.end())
      throw InputError(fault.where, key,
                       fmt::format("no link joins {} and {}", fault.from, fault.to));
    return wires->second;
  }

 private:
  [[nodiscard]] std::size_t find(const std::string& name, const LinkFault& fault,
                                 const std::string& key) const {
    const auto found = switches_.find(name);
    if (found != switches_.end()) return found->second;
    std::vector<std::string> known;
    known.reserve(switches_.size());
    for (const auto& [other, vertex] : switches_) known.push_back(other);
    throw InputError(
        fault.where, key,
        fmt::format("'{}' is no switch of this cluster; {}", name, suggestion(name, known)));
  }

  std::map<std::string, std::size_t> switches_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> wires_;
};

/// The NIC of the host from `own` on, round its end, that is not down; -1 where none is left.
int next_working(const Host& host, int own, const std::vector<double>& factors) {
  for (int tried = 0; tried < host.nics; ++tried) {
    const int nic = (own + tried) % host.nics;
    const int in_cluster = host.first_nic + nic;
    if (factors[static_cast<std::size_t>(in_cluster)] > 0) return nic;
  }
  return -1;
}

}  // namespace

std::vector<double> nic_factors(const ClusterFaults& faults, const std::vector<Host>& hosts) {
  std::vector<double> factors(static_cast<std::size_t>(hosts.back().first_nic + hosts.back().nics),
                              1.0);
  for (std::size_t i = 0; i < faults.nics.size(); ++i) {
    const NicFault& fault = faults.nics[i];
    const Host* named = nullptr;
    bool found = false;
    for (std::size_t number = 0; number < hosts.size(); ++number) {
      const Host& host = hosts[number];
      if (fault.host && !is_called(host, number, *fault.host)) continue;
      named = &host;
      if (fault.nic >= host.nics) continue;
      found = true;
      const int nic = host.first_nic + fault.nic;
      factors[static_cast<std::size_t>(nic)] *= fault.bandwidth_share;
    }
    if (named == nullptr)
      refuse_unknown_host(*fault.host, fault.where, fault_item("nics", i), hosts);
    if (found) continue;
    throw InputError(fault.where, fault_item("nics", i) + ".nic",
                     fmt::format("{} has no NIC {}; they count from 0",
                                 fault.host ? named->name : "any host", fault.nic));
  }
  return factors;
}

std::vector<double> gpu_slowdowns(const ClusterFaults& faults, const std::vector<Host>& hosts) {
  std::vector<double> slowdowns(
      static_cast<std::size_t>(hosts.back().first_gpu + hosts.back().gpus), 1.0);
  for (std::size_t i = 0; i < faults.gpus.size(); ++i) {
    const SlowGpu& fault = faults.gpus[i];
    std::size_t number = 0;
    while (number < hosts.size() && !is_called(hosts[number], number, fault.host)) ++number;
    if (number == hosts.size())
      refuse_unknown_host(fault.host, fault.where, fault_item("gpus", i), hosts);
    const Host& host = hosts[number];
    if (fault.gpu >= host.gpus)
      throw InputError(fault.where, fault_item("gpus", i) + ".gpu",
                       fmt::format("{} has no GPU {}; they count from 0", host.name, fault.gpu));
    if (fault.slowdown == 1) continue;
    const int gpu = host.first_gpu + fault.gpu;
    double& slowdown = slowdowns[static_cast<std::size_t>(gpu)];
    if (slowdown != 1)
      throw InputError(fault.where, fault_item("gpus", i),
                       fmt::format("GPU {} of {} is given twice", fault.gpu, host.name));
    slowdown = fault.slowdown;
  }
  return slowdowns;
}

std::vector<int> nics_in_use(const ClusterFaults& faults, const std::vector<double>& factors,
                             const std::vector<Host>& hosts) {
  std::vector<int> nic_of;
  for (const Host& host : hosts) {
    for (int gpu = 0; gpu < host.gpus; ++gpu) {
      const int own = gpu * host.nics / host.gpus;
      const int next = next_working(host, own, factors);
      if (next < 0 && hosts.size() > 1) {
        throw InputError(faults.nics.front().where, "cluster.faults.nics",
                         fmt::format("leave {} without any NIC", host.name));
      }
      nic_of.push_back(host.first_nic + std::max(next, 0));
    }
  }
  return nic_of;
}

void weaken(const ClusterFaults& faults, const std::vector<double>& factors, std::size_t first_nic,
            ClusterGraph& graph) {
  if (!faults.nics.empty()) {
    for (ClusterGraph::Wire& wire : graph.wires) {
      for (const std::size_t end : {wire.a, wire.b}) {
        if (end >= first_nic && end - first_nic < factors.size())
          wire.bandwidth = wire.bandwidth * factors[end - first_nic];
      }
    }
  }
  if (faults.links.empty()) return;
  const SwitchWires switches(graph);
  for (std::size_t i = 0; i < faults.links.size(); ++i) {
    const LinkFault& fault = faults.links[i];
    for (const std::size_t wire : switches.between(fault, fault_item("links", i)))
      graph.wires[wire].bandwidth = graph.wires[wire].bandwidth * fault.bandwidth_share;
  }
}

}  // namespace simtrain
