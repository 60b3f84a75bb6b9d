#include "sim/topology/cluster_spec.h"

#include <fmt/format.h>

namespace simtrain {

ClusterSpec load_cluster(const DataFolder& data, const std::string& name, int nodes,
                         const SourcePlace& where) {
  const auto file = data.load<ClusterFile>("hardware/clusters", name, where, "cluster.name");
  ClusterSpec spec;
  spec.name = file.name;
  spec.nodes = nodes;
  spec.node = data.load<NodeSpec>("hardware/nodes", file.node, file.where, "node");
  spec.gpu = data.load<GpuSpec>("hardware/gpus", spec.node.gpu, spec.node.where, "gpu");
  spec.fabric = data.load<FabricSpec>("hardware/fabrics", file.fabric, file.where, "fabric");
  if (nodes > file.max_nodes.value) {
    throw InputError(
        where, "cluster.nodes",
        fmt::format("{} is more than the {} nodes that {} has", nodes, file.max_nodes.value, name));
  }
  if (spec.node.nics.value != spec.node.gpus) {
    throw InputError(spec.node.where, "nics",
                     fmt::format("is {} for {} GPUs; rail-optimized wiring has one NIC per GPU",
                                 spec.node.nics.value, spec.node.gpus));
  }
  return spec;
}

}  // namespace simtrain
