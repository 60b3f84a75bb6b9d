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

/// `cluster.nodes`: as asked for; of the GPUs that the recipe gives, a whole node where these are
/// fewer; else assumed: of the GPUs in the name of its file, or the fewest that hold one replica,
/// by the degrees of the recipe and of `given`.
/// Throws InputError at `recipe` where they fill no whole nodes.
Finding nodes_of(const RecipeTerms& terms, const GivenKeys& given, std::optional<int> asked,
                 const NodesOf& cluster, const SourcePlace& recipe);

/// How many times the GPUs of a recipe a node has, where all of one work though it gives fewer, or
/// its batch is of fewer replicas than a node holds; 1 elsewhere, and where the user says how many
/// nodes there are.
std::int64_t widening_of(const RecipeTerms& terms, const GivenKeys& given, std::optional<int> asked,
                         std::int64_t gpus);

/// The nodes that a recipe is silent about: as many as its file's name says (`448gpus`, `128vm`),
/// where that is a multiple of `fewest`, or else `fewest`, which are the fewest that hold `what`.
Given<std::int64_t> assumed_nodes(const std::string& path, std::int64_t fewest, std::int64_t gpus,
                                  const std::string& what);

}  // namespace simtrain
