// Any bytes at all as a cluster file with a graph of its own: only InputError may come out, and
// what is small and accepted is a cluster whose GPUs all reach each other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/core/files/data_folder.h"
#include "sim/core/invariant.h"
#include "sim/topology/cluster_facts.h"
#include "sim/topology/specs/cluster_fields.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/topology/specs/node_fields.h"
#include "tests/core/checkout.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simtrain;
  static const DataFolder folder(simtrain::testing::source_dir());
  static const ClusterSpec lab = load_cluster(folder, "lab-uneven", 3, {});
  const std::string text(data, data + size);
  try {
    const auto file = read_yaml<ClusterFile>(load_yaml_text(text, "fuzz.yaml"), "");
    if (!file.graph) return 0;
    constexpr int kMostHosts = 32;
    int hosts = 0;
    for (const GraphHosts& entry : file.graph->hosts) hosts += std::min(entry.count, 1000);
    if (hosts > kMostHosts) return 0;
    ClusterSpec spec = lab;
    spec.graph = load_graph(folder, *file.graph);
    spec.node = spec.graph->hosts.front().spec;
    spec.nodes = spec.graph->count();
    spec.gpu = folder.load<GpuSpec>("hardware/gpus", spec.node.gpu, {}, "gpu");
    const Cluster cluster(spec);
    invariant(cluster.gpus() == spec.gpus(), "GPUs are those of the hosts");
    static_cast<void>(cluster_facts(cluster_map(cluster)));
    static_cast<void>(cluster_path(cluster, 0, cluster.gpus() - 1));
  } catch (const InputError&) {  // what a wrong file deserves
  }
  return 0;
}
