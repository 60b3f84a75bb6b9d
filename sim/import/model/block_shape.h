#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"
#include "sim/workload/model/model_spec.h"

namespace simtrain {

/// `multi_latent_attention`, `dsa_indexer`, `gated_delta_net` and `mamba` of a model as its file
/// has them; empty where it has none.
std::string latent_text(const ModelSpec& model);
std::string indexer_text(const ModelSpec& model);
std::string delta_text(const ModelSpec& model);
std::string mamba_text(const ModelSpec& model);

/// Whether a recipe's attention is multi-latent.
bool is_latent(const RecipeTerms& terms);

/// Whether layers of a recipe are gated delta nets, or have DeepSeek's sparse attention. Throw
/// InputError at attention of another kind.
bool is_delta(const RecipeTerms& terms);
bool is_sparse(const RecipeTerms& terms);

/// The keys that a query of a recipe's windows sees; none where it has no windows. Throws
/// InputError where what it gives is no window.
std::optional<std::int64_t> window_keys(const RecipeTerms& terms);

/// Adds what a recipe says of its blocks: norms of queries and keys, biases, the softmax, windows,
/// multi-latent attention, Mamba and multi-token prediction. `whole`: it leaves nothing to a model
/// that it is based on. Throws InputError where a value is not modelled.
void add_blocks(std::vector<Finding>& shape, const RecipeTerms& terms, bool whole);

/// Fills in what a recipe leaves to the model that it is based on.
void complete_blocks(RecipeTerms& terms, const ModelSpec& base, const std::string& whose);

}  // namespace simtrain
