#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// The model of scenarios/models that torchtitan ("llama3 8B"), MaxText (llama3.1-8b), Primus
/// (llama3.1_8B.yaml), a hub (meta-llama/Llama-3.1-8B-Instruct) or a class of NeMo 2 or
/// Megatron-Bridge (Llama31Config8B, Llama31ModelProvider8B) calls so; nothing where none is its
/// equal. Case, marks, the owner and endings that say nothing of the shape do not count.
std::optional<std::string> named_model(const std::string& name);

/// The model whose name is a part of a longer one (graph_trainer_llama3_8b_test); of several that
/// of the longest name.
std::optional<std::string> model_named_in(const std::string& text);

/// Throws InputError where a recipe only names its model, by a name that none of scenarios/models
/// has, and the request does not say which one it is.
void require_named_model(const RecipeTerms& terms, const RecipeRequest& request);

/// How many layers a pipeline deals out.
struct LayerCounts {
  std::int64_t layers = 0;
  std::int64_t mtp = 0;  ///< of multi-token prediction
};

/// Those that a recipe gives, or of the model of scenarios/models that it or the request names; 0
/// where neither does.
LayerCounts layers_of_recipe(const RecipeTerms& terms, const RecipeRequest& request,
                             const DataFolder& data);

/// Where the layers of a model that a recipe only names do not split into its chunks, what its
/// model's own file says of that is not there. As assumed, the embedding and the loss are counted,
/// where they split with these, or else all chunks are alike but the last, which has what is left.
void settle_split(RecipeTerms& terms, const RecipeRequest& request, const DataFolder& data);

}  // namespace simtrain
