#include "sim/topology/specs/cluster_spec.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "sim/core/files/data_folder.h"
#include "sim/topology/specs/cluster_fields.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/topology/specs/node_fields.h"

namespace simtrain {
namespace {

/// Routing weighs a NIC against one second of latency (cluster.cpp), so a link stays far below
/// that.
void refuse_slow(const SourcePlace& where, const std::string& key, Duration latency) {
  if (latency <= std::chrono::milliseconds(1)) return;
  throw InputError(where, key, "is more than 1 ms, which no link of a cluster takes");
}

void check_levels(const FabricSpec& fabric) {
  if (!fabric.nodes_per_block || fabric.nodes_per_block->value % fabric.nodes_per_unit.value == 0)
    return;
  throw InputError(fabric.where, "nodes_per_block",
                   fmt::format("{} is no multiple of nodes_per_unit, {}",
                               fabric.nodes_per_block->value, fabric.nodes_per_unit.value));
}

/// The node that a cluster of equal nodes names, or those of its graph; says how many there are.
int load_nodes(const DataFolder& data, const ClusterFile& file, ClusterSpec& spec) {
  if (file.graph) {
    if (file.node || file.max_nodes) {
      throw InputError(file.where, file.node ? "node" : "max_nodes",
                       "is given beside graph, which lists the nodes itself");
    }
    spec.graph = load_graph(data, *file.graph);
    spec.node = spec.graph->hosts.front().spec;
    return spec.graph->count();
  }
  if (!file.node) throw InputError(file.where, "node", "is missing");
  if (!file.max_nodes) throw InputError(file.where, "max_nodes", "is missing");
  spec.node = data.load<NodeSpec>("hardware/nodes", *file.node, file.where, "node");
  check_node(spec.node);
  return file.max_nodes->value;
}

std::string by_rule(const std::string& source) { return std::string(kByPowerRule) + source; }

template <class T>
Sourced<T> ruled(const Sourced<T>& rule) {
  return {rule.value, by_rule(rule.source)};
}

NodePower ruled_power(const PowerRules& rules, const NodeSpec& node, const GpuSpec& gpu) {
  const double limits = node.gpus * gpu.power.limit.value.value();
  return {{Power(rules.host_share.value * limits), by_rule(rules.host_share.source)},
          ruled(rules.nic),
          ruled(rules.nvswitch),
          ruled(rules.supply_efficiency)};
}

/// Whatever the files do not say of power, by rule.
void complete_power(const DataFolder& data, const ClusterFile& file, ClusterSpec& spec) {
  std::vector<NodeSpec*> nodes{&spec.node};
  if (spec.graph) {
    for (GraphHosts& hosts : spec.graph->hosts) nodes.push_back(&hosts.spec);
  }
  const bool complete =
      file.pue && spec.fabric.power &&
      std::all_of(nodes.begin(), nodes.end(), [](const NodeSpec* node) { return node->power; });
  if (file.pue) spec.pue = *file.pue;
  if (complete) return;
  const auto rules = data.load<PowerRules>("hardware", "power", {data.root()}, "hardware");
  if (!file.pue) spec.pue = ruled(rules.pue);
  if (!spec.fabric.power)
    spec.fabric.power = FabricPower{ruled(rules.switch_port), ruled(rules.transceiver)};
  for (NodeSpec* node : nodes) {
    if (!node->power) node->power = ruled_power(rules, *node, spec.gpu);
  }
}

/// A cluster with none of its nodes taken, and how many there are.
struct WholeCluster {
  ClusterSpec spec;
  int available = 0;
};

WholeCluster load_whole(const DataFolder& data, const std::string& name, const SourcePlace& where) {
  const auto file = data.load<ClusterFile>("hardware/clusters", name, where, "cluster.name");
  WholeCluster whole;
  ClusterSpec& spec = whole.spec;
  spec.name = file.name;
  whole.available = load_nodes(data, file, spec);
  spec.gpu = data.load<GpuSpec>("hardware/gpus", spec.node.gpu, spec.node.where, "gpu");
  if (!spec.gpu.has_nccl() && !spec.gpu.rccl)
    throw InputError(spec.gpu.where, "nccl", "is missing; rccl would do as well");
  spec.fabric = data.load<FabricSpec>("hardware/fabrics", file.fabric, file.where, "fabric");
  check_levels(spec.fabric);
  complete_power(data, file, spec);
  refuse_slow(spec.gpu.where, "nvlink.switch_latency", spec.gpu.nvlink.switch_latency.value);
  refuse_slow(spec.fabric.where, "switch_latency", spec.fabric.switch_latency.value);
  refuse_slow(spec.fabric.where, "cable_latency", spec.fabric.cable_latency.value);
  return whole;
}

std::shared_ptr<const WholeCluster> whole_cluster(const DataFolder& data, const std::string& name,
                                                  const SourcePlace& where) {
  return data.derived<std::shared_ptr<const WholeCluster>>("whole cluster " + name, [&] {
    return std::make_shared<const WholeCluster>(load_whole(data, name, where));
  });
}

}  // namespace

const NodeSpec& ClusterSpec::node_of(int host) const {
  return graph ? graph->entry_of(host).spec : node;
}

int ClusterSpec::gpus() const {
  if (!graph) return nodes * node.gpus;
  int sum = 0;
  for (int host = 0; host < nodes; ++host) sum += node_of(host).gpus;
  return sum;
}

int ClusterSpec::fewest_gpus() const {
  int fewest = node_of(0).gpus;
  for (int host = 1; host < nodes; ++host) fewest = std::min(fewest, node_of(host).gpus);
  return fewest;
}

std::string ClusterSpec::nodes_text() const {
  std::string text;
  for (int first = 0; first < nodes;) {
    int last = first;
    while (last < nodes && node_of(last).name == node_of(first).name) ++last;
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", last - first, node_of(first).name);
    first = last;
  }
  return text;
}

std::string ClusterSpec::wiring_text() const {
  return graph ? "own graph" : std::string(name_of(fabric.wiring));
}

ClusterSpec load_cluster(const DataFolder& data, const std::string& name, int nodes,
                         const SourcePlace& where, const std::optional<NodesKey>& nodes_key) {
  const std::shared_ptr<const WholeCluster> whole = whole_cluster(data, name, where);
  if (nodes > whole->available) {
    const NodesKey asked = nodes_key.value_or(NodesKey{"cluster.nodes", where});
    throw InputError(
        asked.where, asked.key,
        fmt::format("{} is more than the {} nodes that {} has", nodes, whole->available, name));
  }
  ClusterSpec spec = whole->spec;
  spec.nodes = nodes;
  return spec;
}

int nodes_of_cluster(const DataFolder& data, const std::string& name, const SourcePlace& where) {
  return whole_cluster(data, name, where)->available;
}

NodeSpec node_of_cluster(const DataFolder& data, const std::string& name,
                         const SourcePlace& where) {
  return whole_cluster(data, name, where)->spec.node;
}

}  // namespace simtrain
