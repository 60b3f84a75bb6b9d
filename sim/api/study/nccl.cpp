#include <fmt/format.h>
#include <simtrain/study.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/collectives/libraries/nccl/nccl_fields.h"
#include "sim/output/nccl/nccl_table.h"
#include "sim/study/nccl/nccl_cluster.h"
#include "sim/topology/specs/cluster_fields.h"
#include "sim/workload/model/fields/software_fields.h"

namespace simtrain::api {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 44;

void check_sizes(const NcclOptions& options) {
  if (options.least_bytes < 1) throw simtrain::InputError({}, "least_bytes", "must be 1 or more");
  if (options.most_bytes < options.least_bytes || options.most_bytes > kMostBytes)
    throw simtrain::InputError({}, "most_bytes",
                               fmt::format("must be from least_bytes to {}", kMostBytes));
  if (options.factor < 2) throw simtrain::InputError({}, "factor", "must be 2 or more");
}

NcclExtent extent_of(const NcclOptions& options, int per_node) {
  if (options.gpus < 1) throw simtrain::InputError({}, "gpus", "must be 1 or more");
  if (options.nodes < 0) throw simtrain::InputError({}, "nodes", "must be 0 or more");
  const int needed = options.gpus / per_node + (options.gpus % per_node > 0 ? 1 : 0);
  return {options.nodes > 0 ? options.nodes : needed, options.gpus};
}

NcclSettings settings_of(const simtrain::DataFolder& data, const NcclOptions& options) {
  NcclSettings settings = usual_nccl(kUsualNccl);
  if (!options.software.empty()) {
    const auto software =
        data.load<SoftwareSpec>("hardware/software", options.software, {}, "software");
    if (const NcclSettings* own = nccl_settings_of(software.library)) settings = *own;
  }
  if (options.settings.empty()) return settings;
  const YamlNode tree = load_yaml_text(options.settings, "settings");
  return with_overrides(settings, read_yaml<NcclOverrides>(tree, "nccl"), "caller");
}

NcclSize size_of(const NcclSweepRow& row) {
  return {row.cost.bytes.value(),
          std::string(name_of(row.cost.algorithm)),
          std::string(name_of(row.cost.protocol)),
          row.cost.sms,
          to_seconds(row.time),
          row.algorithm_bandwidth(),
          row.bus_bandwidth()};
}

}  // namespace

NcclResult nccl(const DataFolder& data, const std::string& cluster, const std::string& operation,
                const NcclOptions& options) {
  return guarded([&] {
    check_sizes(options);
    const simtrain::DataFolder& folder = Access::of(data).folder;
    NcclTableHead head;
    head.request.collective = named_operation(operation, "operation");
    head.request.least = Bytes(options.least_bytes);
    head.request.most = Bytes(options.most_bytes);
    head.request.factor = options.factor;
    static_cast<void>(folder.load<ClusterFile>("hardware/clusters", cluster, {}, "cluster"));
    const NcclExtent extent = extent_of(options, node_of_cluster(folder, cluster, {}).gpus);
    const Cluster graph = nccl_cluster(folder, cluster, extent, "");
    head.request.gpus = first_gpus(graph, extent.nodes, extent.gpus);
    head.settings = settings_of(folder, options);
    head.cluster = graph.spec().name;
    head.gpu = graph.spec().gpu.name;
    head.nodes = extent.nodes;
    const std::vector<NcclSweepRow> rows = nccl_sweep(graph, head.settings, head.request);
    NcclResult result;
    for (const NcclSweepRow& row : rows) result.sizes.push_back(size_of(row));
    result.table = nccl_table(head, rows);
    result.json = nccl_json(head, rows);
    return result;
  });
}

}  // namespace simtrain::api
