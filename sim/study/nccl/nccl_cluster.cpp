#include "sim/study/nccl/nccl_cluster.h"

#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "sim/core/suggestion.h"
#include "sim/topology/specs/cluster_spec.h"

namespace simtrain {
namespace {

constexpr std::array kOperations{Collective::all_reduce,     Collective::all_gather,
                                 Collective::reduce_scatter, Collective::broadcast,
                                 Collective::all_to_all,     Collective::send_receive};

}  // namespace

Cluster nccl_cluster(const DataFolder& data, const std::string& name, const NcclExtent& extent,
                     const std::string& prefix) {
  ClusterSpec spec = load_cluster(data, name, extent.nodes, {}, NodesKey{prefix + "nodes", {}});
  const int fewest = spec.fewest_gpus();
  if (extent.gpus % extent.nodes != 0 || extent.gpus / extent.nodes > fewest)
    throw InputError({}, prefix + "gpus",
                     fmt::format("{} do not spread evenly over {} nodes of {}", extent.gpus,
                                 extent.nodes, fewest));
  if (!spec.gpu.has_nccl())
    throw InputError(spec.gpu.where, "nccl",
                     fmt::format("is missing; the GPUs of {} do not run NCCL", name));
  return Cluster(std::move(spec));
}

std::string plain_word(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

Collective named_operation(const std::string& word, const std::string& key) {
  if (plain_word(word) == "sendrecv") return Collective::send_receive;
  std::vector<std::string> known;
  known.reserve(kOperations.size());
  for (const Collective operation : kOperations) {
    if (plain_word(name_of(operation)) == plain_word(word)) return operation;
    known.emplace_back(operation == Collective::send_receive ? "sendrecv" : name_of(operation));
  }
  throw InputError({}, key,
                   fmt::format("'{}' is not known here; {}", word, suggestion(word, known)));
}

}  // namespace simtrain
