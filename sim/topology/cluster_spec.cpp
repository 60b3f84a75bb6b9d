#include "sim/topology/cluster_spec.h"

#include <fmt/format.h>

namespace simtrain {
namespace {

/// Routing weighs a NIC against one second of latency (cluster.cpp), so a link stays far below
/// that.
void refuse_slow(const SourcePlace& where, const std::string& key, Duration latency) {
  if (latency <= std::chrono::milliseconds(1)) return;
  throw InputError(where, key, "is more than 1 ms, which no link of a cluster takes");
}

void check_nics(const NodeSpec& node) {
  if (node.nics.value <= node.gpus) return;
  throw InputError(node.where, "nics",
                   fmt::format("is {} for {} GPUs; a GPU uses one NIC, so at most {} would do "
                               "(count a bundle as one NIC of their sum)",
                               node.nics.value, node.gpus, node.gpus));
}

void check_levels(const FabricSpec& fabric) {
  if (!fabric.nodes_per_block || fabric.nodes_per_block->value % fabric.nodes_per_unit.value == 0)
    return;
  throw InputError(fabric.where, "nodes_per_block",
                   fmt::format("{} is no multiple of nodes_per_unit, {}",
                               fabric.nodes_per_block->value, fabric.nodes_per_unit.value));
}

}  // namespace

double ClusterSpec::slowdown(int number) const {
  for (const SlowGpu& slow : slow_gpus) {
    if (slow.host * node.gpus + slow.gpu == number) return slow.slowdown;
  }
  return 1;
}

ClusterSpec load_cluster(const DataFolder& data, const std::string& name, int nodes,
                         const SourcePlace& where, const std::optional<NodesKey>& nodes_key) {
  const auto file = data.load<ClusterFile>("hardware/clusters", name, where, "cluster.name");
  ClusterSpec spec;
  spec.name = file.name;
  spec.nodes = nodes;
  spec.node = data.load<NodeSpec>("hardware/nodes", file.node, file.where, "node");
  spec.gpu = data.load<GpuSpec>("hardware/gpus", spec.node.gpu, spec.node.where, "gpu");
  spec.fabric = data.load<FabricSpec>("hardware/fabrics", file.fabric, file.where, "fabric");
  if (nodes > file.max_nodes.value) {
    const NodesKey asked = nodes_key.value_or(NodesKey{"cluster.nodes", where});
    throw InputError(
        asked.where, asked.key,
        fmt::format("{} is more than the {} nodes that {} has", nodes, file.max_nodes.value, name));
  }
  check_nics(spec.node);
  check_levels(spec.fabric);
  refuse_slow(spec.gpu.where, "nvlink.switch_latency", spec.gpu.nvlink.switch_latency.value);
  refuse_slow(spec.fabric.where, "switch_latency", spec.fabric.switch_latency.value);
  refuse_slow(spec.fabric.where, "cable_latency", spec.fabric.cable_latency.value);
  return spec;
}

}  // namespace simtrain
