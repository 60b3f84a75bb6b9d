#include "sim/import/maxtext/mesh_axes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"
#include "sim/import/job/job_nodes.h"
#include "sim/topology/specs/cluster_spec.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

enum class AxisUse { replicate, shard, tensor, tensor_sequence, context, expert, other };

struct MaxTextAxis {
  std::string_view name;
  AxisUse use;
};
constexpr std::array<MaxTextAxis, 13> kMaxTextAxes{{{"data", AxisUse::replicate},
                                                    {"fsdp", AxisUse::shard},
                                                    {"fsdp_transpose", AxisUse::shard},
                                                    {"tensor", AxisUse::tensor},
                                                    {"tensor_transpose", AxisUse::tensor},
                                                    {"tensor_sequence", AxisUse::tensor_sequence},
                                                    {"sequence", AxisUse::context},
                                                    {"context", AxisUse::context},
                                                    {"expert", AxisUse::expert},
                                                    {"pipeline", AxisUse::other},
                                                    {"autoregressive", AxisUse::other},
                                                    {"context_autoregressive", AxisUse::other},
                                                    {"context_transpose", AxisUse::other}}};

constexpr std::int64_t kRest = -1;
constexpr double kMostRanks = 1e6;

struct AxisSize {
  MaxTextAxis axis;
  std::int64_t size = 1;
  std::string key;
  SourcePlace place;
};

/// The axes of one network: inside of a node (ici) or over nodes (dcn).
std::vector<AxisSize> axes_of(YamlNode& tree, std::string_view network, RecipeReading& reading) {
  std::vector<AxisSize> sizes;
  for (const MaxTextAxis& axis : kMaxTextAxes) {
    const std::string key = fmt::format("{}_{}_parallelism", network, axis.name);
    const bool rest = network == "ici" ? axis.name == "fsdp" : axis.name == "data";
    AxisSize size{axis, rest ? kRest : 1, key, tree.place};
    const YamlNode* node = tree.find(key);
    if (node != nullptr && node->kind != YamlNode::Kind::null) {
      size.size = scalar_integer(*node, key, Limits{-1, kMostRanks});
      size.place = node->place;
      if (size.size == 0) throw InputError(node->place, key, "is 0; -1 or a size would do");
      ++reading.taken;
    }
    std::erase_if(tree.entries, [&](const YamlEntry& entry) { return entry.key == key; });
    sizes.push_back(std::move(size));
  }
  return sizes;
}

/// Gives the axis of -1 what the others leave of `whole`; without one they must fill it.
void fill(std::vector<AxisSize>& sizes, std::int64_t whole, const std::string& of_what) {
  double others = 1;
  AxisSize* rest = nullptr;
  for (AxisSize& size : sizes) {
    if (size.size != kRest) {
      others *= static_cast<double>(size.size);
    } else if (rest != nullptr) {
      throw InputError(size.place, size.key,
                       fmt::format("is -1, as {} is; one of them takes what is left", rest->key));
    } else {
      rest = &size;
    }
  }
  const AxisSize& named = rest == nullptr ? sizes.front() : *rest;
  const auto product = static_cast<std::int64_t>(std::min(others, 1e12));
  if (rest == nullptr ? product != whole : whole % product != 0)
    throw InputError(named.place, named.key,
                     fmt::format("the sizes of this mesh are {}, which does not fit {}; another "
                                 "--cluster, --nodes N or --override would do",
                                 product, of_what));
  if (rest != nullptr) rest->size = whole / product;
}

/// What the axes of a mesh that have a size multiply to.
std::int64_t product_of(const std::vector<AxisSize>& sizes) {
  double product = 1;
  for (const AxisSize& size : sizes) {
    if (size.size != kRest) product *= static_cast<double>(size.size);
  }
  return static_cast<std::int64_t>(std::min(product, 1e12));
}

/// Whether a mesh says its size by itself.
bool is_whole(const std::vector<AxisSize>& sizes) {
  return std::none_of(sizes.begin(), sizes.end(),
                      [](const AxisSize& size) { return size.size == kRest; });
}

/// The nodes that one mesh of the first network takes: several where it is larger than a node, as a
/// slice of TPUs is, whose network is one.
std::int64_t nodes_of_slice(const std::vector<AxisSize>& sizes, std::int64_t each) {
  const std::int64_t product = product_of(sizes);
  const bool larger = product > each && product % each == 0;
  return larger ? product / each : 1;
}

/// The nodes of the job, by the meshes or assumed.
Given<std::int64_t> nodes_of_meshes(const std::vector<AxisSize>& over, std::int64_t slice,
                                    std::int64_t each, const std::string& path) {
  const auto own = static_cast<std::int64_t>(
      std::min(static_cast<double>(product_of(over)) * static_cast<double>(slice), 1e12));
  if (!is_whole(over))
    return assumed_nodes(path, std::min<std::int64_t>(own, 1000000), each, "the sizes of its mesh");
  if (slice == 1) return {own, "sizes of the dcn mesh", false, {}};
  return {own,
          fmt::format("the ici mesh of {} is larger than a node and is laid over {}", slice * each,
                      slice),
          true,
          {}};
}

/// The product of all axes of a use over both meshes, by the keys that make it.
Given<std::int64_t> product_of(const std::vector<AxisSize>& sizes, AxisUse use) {
  Given<std::int64_t> product{1, "", false, {}};
  for (const AxisSize& size : sizes) {
    if (size.axis.use != use || size.size == 1) continue;
    product.value *= size.size;
    product.origin += (product.origin.empty() ? "" : " x ") + size.key;
    product.place = size.place;
  }
  if (product.origin.empty()) {
    product.origin = "MaxText's default";
    product.assumed = true;
  }
  return product;
}

void refuse_others(const std::vector<AxisSize>& sizes) {
  for (const AxisSize& size : sizes) {
    if (size.axis.use == AxisUse::other && size.size != 1)
      throw InputError(
          size.place, size.key,
          fmt::format("is {}; this axis of XLA's mesh is not modelled, 1 would do", size.size));
  }
}

void set_groups(const std::vector<AxisSize>& sizes, RecipeReading& reading) {
  RecipeTerms& terms = reading.terms;
  const Given<std::int64_t> tensor = product_of(sizes, AxisUse::tensor);
  const Given<std::int64_t> sequence = product_of(sizes, AxisUse::tensor_sequence);
  if (tensor.value > 1 && sequence.value > 1)
    throw InputError(sequence.place, sequence.origin,
                     fmt::format("is {} beside {}, which is not modelled; one of them would do",
                                 sequence.value, tensor.origin));
  terms.tensor_model_parallel_size = sequence.value > 1 ? sequence : tensor;
  terms.sequence_parallel =
      Given<bool>{sequence.value > 1, terms.tensor_model_parallel_size->origin, false, {}};
  terms.context_parallel_size = product_of(sizes, AxisUse::context);
  terms.expert_model_parallel_size = product_of(sizes, AxisUse::expert);
  terms.data_parallel_replicate_degree = product_of(sizes, AxisUse::replicate);
  if (terms.context_parallel_size->value > 1)
    ++reading.left_out["how XLA exchanges keys and values: a ring is simulated"]
                      [terms.context_parallel_size->origin];
}

}  // namespace

void take_mesh_axes(YamlNode& tree, const RecipeRequest& request, const ImportFile& file,
                    const DataFolder& data, RecipeReading& reading) {
  std::vector<AxisSize> sizes = axes_of(tree, "ici", reading);
  std::vector<AxisSize> over = axes_of(tree, "dcn", reading);
  if (!request.cluster) return;  // which is missed later
  const std::int64_t each =
      node_of_cluster(data, *request.cluster, {"--cluster " + *request.cluster}).gpus;
  const std::int64_t slice = nodes_of_slice(sizes, each);
  fill(sizes, each * slice, fmt::format("the {} GPUs of a {} node", each, *request.cluster));
  Given<std::int64_t> nodes = nodes_of_meshes(over, slice, each, file.path);
  if (request.nodes) nodes.value = *request.nodes;
  if (nodes.value % slice != 0)
    throw InputError(
        {file.path}, "cluster.nodes",
        fmt::format("{} nodes are no multiple of the {} of an ici mesh", nodes.value, slice));
  fill(over, nodes.value / slice, fmt::format("{} nodes", nodes.value));
  sizes.insert(sizes.end(), over.begin(), over.end());
  refuse_others(sizes);
  set_groups(sizes, reading);
  reading.terms.num_nodes = nodes;
}

}  // namespace simtrain
