#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/input/input_error.h"
#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// The cluster that a recipe is imported for.
struct NodesOf {
  std::string cluster;
  std::int64_t gpus = 1;  ///< of each node
};

/// `cluster.nodes`: as asked for, or of the GPUs that the recipe gives. Throws InputError at
/// `recipe` where they are given nowhere or fill no whole nodes.
Finding nodes_of(const RecipeTerms& terms, std::optional<int> asked, const NodesOf& cluster,
                 const SourcePlace& recipe);

}  // namespace simtrain
