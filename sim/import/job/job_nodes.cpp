#include "sim/import/job/job_nodes.h"

#include <fmt/format.h>

namespace simtrain {
namespace {

struct JobGpus {
  std::int64_t count = 0;
  std::string origin;
};

JobGpus gpus_of(const RecipeTerms& terms, std::int64_t each, const SourcePlace& recipe) {
  if (terms.world_size) return {terms.world_size->value, terms.world_size->origin};
  if (!terms.num_nodes)
    throw InputError(recipe, "cluster.nodes",
                     "the recipe does not give the number of nodes; --nodes N sets it");
  const Given<std::int64_t>& nodes = *terms.num_nodes;
  const std::int64_t per_node = terms.gpus_per_node ? terms.gpus_per_node->value : each;
  if (nodes.value > 1000000 || per_node > 1000000)
    throw InputError(nodes.place.file.empty() ? recipe : nodes.place, nodes.origin,
                     "is out of range; 1 to 1000000 would do");
  JobGpus gpus{nodes.value * per_node, nodes.origin};
  if (per_node != each) gpus.origin += fmt::format(" x {}", terms.gpus_per_node->origin);
  return gpus;
}

}  // namespace

Finding nodes_of(const RecipeTerms& terms, std::optional<int> asked, const NodesOf& cluster,
                 const SourcePlace& recipe) {
  if (asked) return {"", std::to_string(*asked), "--nodes"};
  const JobGpus gpus = gpus_of(terms, cluster.gpus, recipe);
  if (gpus.count == 0 || gpus.count % cluster.gpus != 0) {
    throw InputError(recipe, "cluster.nodes",
                     fmt::format("{} gives {} GPUs, no multiple of the {} of a {} node; "
                                 "--nodes N or another --cluster would do",
                                 gpus.origin, gpus.count, cluster.gpus, cluster.cluster));
  }
  return {"", std::to_string(gpus.count / cluster.gpus), gpus.origin};
}

}  // namespace simtrain
