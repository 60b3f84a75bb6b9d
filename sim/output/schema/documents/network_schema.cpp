#include <array>

#include "sim/output/schema/documents/document_members.h"
#include "sim/output/schema/documents/member_schema.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kNcclMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.nccl/1"},
    {"cluster", "string", "name"},
    {"collective", "string", "all_reduce, all_gather, ..."},
    {"gpus", "integer", "ranks"},
    {"nodes", "integer", "over which they are spread"},
    {"nccl_version", "string", "release"},
    {"nvls", "boolean", "NCCL_NVLS_ENABLE"},
    {"mean_bus_bandwidth_bytes_per_s", "number", "over all sizes"},
    {"sizes[].bytes", "integer", "as nccl-tests counts them"},
    {"sizes[].count", "integer", "elements of 4 bytes"},
    {"sizes[].time_s", "number", "seconds of a call"},
    {"sizes[].algorithm_bandwidth_bytes_per_s", "number", "size over time (algbw)"},
    {"sizes[].bus_bandwidth_bytes_per_s", "number", "busbw"},
    {"sizes[].algorithm", "string", "that NCCL chooses"},
    {"sizes[].protocol", "string", "that NCCL chooses"},
    {"sizes[].channels", "integer", "that it takes"},
});

constexpr auto kNcclValidationMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.nccl-validation/1"},
    {"points[].machine", "string", "as the file calls it, or the log"},
    {"points[].collective", "string", "all_reduce, ..."},
    {"points[].gpus", "integer", "ranks"},
    {"points[].nodes", "integer", "over which they are spread"},
    {"points[].bytes", "number", "of a call, as nccl-tests counts"},
    {"points[].measured_s", "number", "seconds of a call"},
    {"points[].predicted_s", "number", "seconds of a call"},
    {"points[].error", "number", "predicted over measured, less one"},
    {"points[].choice", "string", "algorithm and protocol that are predicted"},
    {"points[].use", "string", "fitted: parameters are set by it; tested: none is"},
    {"points[].source", "string", "where it was published, or the log"},
    {"points[].test?", "integer", "number in tests, from 0, of logs"},
    {"points[].placement?", "string", "out of place or in place, of logs"},
    {"points[].measured_bus_bandwidth_bytes_per_s?", "number", "busbw"},
    {"points[].predicted_bus_bandwidth_bytes_per_s?", "number", "busbw"},
    {"tests?[].log", "string", "path of nccl-tests' output"},
    {"tests?[].collective", "string", "all_reduce, ..."},
    {"tests?[].cluster", "string", "that it is predicted for"},
    {"tests?[].gpus", "integer", "ranks"},
    {"tests?[].nodes", "integer", "over which they are spread"},
    {"tests?[].gpu_names", "texts", "as the log gives them"},
    {"tests?[].nccl_version", "string", "release"},
    {"tests?[].nvls", "boolean", "NCCL_NVLS_ENABLE"},
    {"tests?[].wrong_values", "integer", "that the test counted"},
    {"tests?[].disagree", "texts", "what log and prediction do not share"},
    {"skipped_lines?", "integer", "of the logs, which could not be read"},
});

constexpr auto kTopologyMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.topology/1"},
    {"cluster", "string", "name"},
    {"wiring", "string", "of its fabric"},
    {"counts.hosts", "integer", "servers"},
    {"counts.gpus", "integer", "of all hosts"},
    {"counts.nvlink_domains", "integer", "of GPUs that NVLink joins"},
    {"counts.nvswitch_planes", "integer", "that each GPU has a link to"},
    {"counts.nics", "integer", "of all hosts"},
    {"counts.leaf_switches", "integer", "of the first level"},
    {"counts.spine_switches", "integer", "of the second level"},
    {"counts.core_switches", "integer", "of the third level"},
    {"links[].low", "string", "kind of device"},
    {"links[].high", "string", "kind of device, nearer to the core"},
    {"links[].count", "integer", "cables"},
    {"links[].bandwidth_bytes_per_s", "number", "of each, each direction"},
    {"links[].latency_s", "number", "seconds"},
    {"levels[].level", "string", "from which up"},
    {"levels[].total_bytes_per_s", "number", "of all links there"},
    {"levels[].per_gpu_bytes_per_s", "number", "of a GPU"},
    {"levels[].oversubscription?", "number", "downlinks over uplinks"},
    {"bisection.bandwidth_bytes_per_s", "number", "between halves of the hosts"},
    {"bisection.half_nics_bytes_per_s", "number", "of the NICs of one half"},
    {"bisection.first_host", "integer", "of one half"},
    {"bisection.hosts", "integer", "of it"},
    {"bisection.method", "string", "max-flow or level-arithmetic"},
    {"path?.from_rank", "integer", "asked for"},
    {"path?.to_rank", "integer", "asked for"},
    {"path?.from_gpu", "integer", "number in the cluster, from 0"},
    {"path?.to_gpu", "integer", "number in the cluster, from 0"},
    {"path?.distance", "string", "level that it reaches"},
    {"path?.latency_s", "number", "seconds"},
    {"path?.bandwidth_bytes_per_s", "number", "of one flow"},
    {"path?.hops", "array", "of each hop, the links that share it"},
});

constexpr auto kHopMembers = std::to_array<SchemaMember>({
    {"from", "string", "device"},
    {"to", "string", "device"},
    {"bandwidth_bytes_per_s", "number", "each direction"},
    {"latency_s", "number", "seconds"},
    {"share", "number", "of the flow"},
});

}  // namespace

Json nccl_schema() { return schema_of({{kNcclMembers}}); }

Json nccl_validation_schema() { return schema_of({{kNcclValidationMembers}}); }

Json topology_schema() {
  Json schema = schema_of({{kTopologyMembers}});
  schema["properties"]["path"]["properties"]["hops"]["items"] = {
      {"type", "array"}, {"items", schema_of({{kHopMembers}})}};
  return schema;
}

}  // namespace simtrain
