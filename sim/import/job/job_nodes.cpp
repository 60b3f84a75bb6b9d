#include "sim/import/job/job_nodes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"

namespace simtrain {
namespace {

constexpr std::int64_t kMostNodes = 1000000;

struct JobGpus {
  std::int64_t count = 0;
  std::string origin;
  bool assumed = false;
};

JobGpus gpus_of(const RecipeTerms& terms, std::int64_t each, const SourcePlace& recipe) {
  if (terms.world_size) return {terms.world_size->value, terms.world_size->origin};
  const Given<std::int64_t>& nodes = *terms.num_nodes;
  const std::int64_t per_node = terms.gpus_per_node ? terms.gpus_per_node->value : each;
  if (nodes.value > kMostNodes || per_node > kMostNodes)
    throw InputError(nodes.place.file.empty() ? recipe : nodes.place, nodes.origin,
                     "is out of range; 1 to 1000000 would do");
  JobGpus gpus{nodes.value * per_node, nodes.origin, nodes.assumed};
  if (per_node != each) gpus.origin += fmt::format(" x {}", terms.gpus_per_node->origin);
  return gpus;
}

/// A degree of parallelism, of the user or of the recipe; `usual` where neither gives it.
std::int64_t degree(const GivenKeys& given, const std::string& name, const WholeTerm& term,
                    std::int64_t usual = 1) {
  std::optional<std::int64_t> value;
  if (term) value = term->value;
  const auto own = given.find("parallelism." + name + "_parallel_size");
  if (own != given.end()) value = number_as<std::int64_t>(own->second);
  return std::clamp<std::int64_t>(value.value_or(usual), 1, kMostNodes);
}

/// The most GPUs that a batch of so many samples keeps at work, up to kMostNodes; 0 where the
/// recipe does not say.
std::int64_t gpus_of_batch(const RecipeTerms& terms, const GivenKeys& given) {
  if (!terms.global_batch_size || terms.local_batch_size) return 0;
  std::int64_t replicas = terms.global_batch_size->value;
  for (const WholeTerm& term : {terms.micro_batch_size, terms.gradient_accumulation_steps}) {
    if (term) replicas /= std::max<std::int64_t>(1, term->value);
  }
  double gpus = static_cast<double>(replicas);
  for (const std::int64_t split :
       {degree(given, "tensor_model", terms.tensor_model_parallel_size),
        degree(given, "context", terms.context_parallel_size),
        degree(given, "pipeline_model", terms.pipeline_model_parallel_size)})
    gpus *= static_cast<double>(split);
  return gpus <= static_cast<double>(kMostNodes) ? static_cast<std::int64_t>(gpus) : kMostNodes;
}

/// The fewest nodes on which the ranks of one replica and of one group of experts are whole.
Given<std::int64_t> fewest_nodes(const RecipeTerms& terms, const GivenKeys& given,
                                 std::int64_t each, const std::string& path) {
  const std::int64_t tp = degree(given, "tensor_model", terms.tensor_model_parallel_size);
  const std::int64_t cp = degree(given, "context", terms.context_parallel_size);
  const std::int64_t pp = degree(given, "pipeline_model", terms.pipeline_model_parallel_size);
  const std::int64_t ep = degree(given, "expert_model", terms.expert_model_parallel_size);
  const std::int64_t etp = degree(given, "expert_tensor", terms.expert_tensor_parallel_size, tp);
  std::string what = fmt::format("TP {} x CP {} x PP {}", tp, cp, pp);
  if (ep > 1) what += fmt::format(" and EP {} x ETP {} x PP {}", ep, etp, pp);
  const double most = static_cast<double>(tp) * static_cast<double>(cp) * static_cast<double>(pp) *
                      static_cast<double>(ep) * static_cast<double>(etp);
  if (most > static_cast<double>(kMostNodes)) return assumed_nodes(path, 1, each, what);
  std::int64_t ranks = tp * cp * pp;
  if (ep > 1) ranks = std::lcm(ranks, ep * etp * pp);
  return assumed_nodes(path, std::lcm(ranks, each) / each, each, what);
}

/// The number right before a word of a file's name, as in `448gpus`; nothing where there is none.
std::optional<std::int64_t> number_before(const std::string& name, std::string_view word) {
  const std::size_t at = name.find(word);
  if (at == std::string::npos || at == 0) return std::nullopt;
  std::size_t start = at;
  while (start > 0 && std::isdigit(static_cast<unsigned char>(name[start - 1])) != 0) --start;
  const std::size_t behind = at + word.size();
  const bool apart =
      (start == 0 || std::isalnum(static_cast<unsigned char>(name[start - 1])) == 0) &&
      (behind == name.size() || std::isalpha(static_cast<unsigned char>(name[behind])) == 0);
  return start < at && apart ? number_as<std::int64_t>(name.substr(start, at - start))
                             : std::nullopt;
}

/// A number of nodes in the name of a recipe's file, in GPUs or in machines.
std::optional<std::int64_t> named_nodes(const std::string& path, std::int64_t gpus) {
  const std::string name = lower_case(std::filesystem::path(path).stem().string());
  for (const std::string_view word : {"gpus", "gpu"}) {
    const auto count = number_before(name, word);
    if (count && *count >= gpus && *count % gpus == 0) return *count / gpus;
  }
  for (const std::string_view word : {"vms", "vm", "nodes", "node"}) {
    if (const auto count = number_before(name, word)) return count;
  }
  return std::nullopt;
}

}  // namespace

Given<std::int64_t> assumed_nodes(const std::string& path, std::int64_t fewest, std::int64_t gpus,
                                  const std::string& what) {
  const auto named = named_nodes(path, gpus);
  if (named && *named > 0 && *named <= kMostNodes && *named % fewest == 0)
    return {*named, "the name of the file; --nodes N sets another number", true, {}};
  return {fewest,
          fmt::format("not given, the fewest that hold {}; --nodes N sets another number", what),
          true,
          {}};
}

std::int64_t widening_of(const RecipeTerms& terms, const GivenKeys& given, std::optional<int> asked,
                         std::int64_t gpus) {
  if (asked) return 1;
  const std::int64_t own = terms.world_size || terms.num_nodes ? gpus_of(terms, gpus, {}).count
                                                               : gpus_of_batch(terms, given);
  return own > 0 && own < gpus && gpus % own == 0 ? gpus / own : 1;
}

Finding nodes_of(const RecipeTerms& terms, const GivenKeys& given, std::optional<int> asked,
                 const NodesOf& cluster, const SourcePlace& recipe) {
  if (asked) return {"", std::to_string(*asked), "--nodes"};
  if (!terms.world_size && !terms.num_nodes) {
    const Given<std::int64_t> nodes = fewest_nodes(terms, given, cluster.gpus, recipe.file);
    return {"", std::to_string(nodes.value), nodes.origin, true, true};
  }
  const JobGpus gpus = gpus_of(terms, cluster.gpus, recipe);
  if (gpus.count > 0 && gpus.count < cluster.gpus)
    return {"", "1",
            fmt::format("{} gives {} GPUs of a node, all {} of a {} node work; --nodes N sets "
                        "another number of nodes",
                        gpus.origin, gpus.count, cluster.gpus, cluster.cluster),
            true, true};
  if (gpus.count == 0 || gpus.count % cluster.gpus != 0) {
    throw InputError(recipe, "cluster.nodes",
                     fmt::format("{} gives {} GPUs, no multiple of the {} of a {} node; "
                                 "--nodes N or another --cluster would do",
                                 gpus.origin, gpus.count, cluster.gpus, cluster.cluster));
  }
  return {"", std::to_string(gpus.count / cluster.gpus), gpus.origin, gpus.assumed, gpus.assumed};
}

}  // namespace simtrain
