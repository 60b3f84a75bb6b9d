#pragma once

#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// How torchtitan deals layers to stages (distributed/pipeline_parallel.py): the embedding and the
/// output layer count as one each, `account_for_embedding_in_pipeline_split` and
/// `account_for_loss_in_pipeline_split` where the recipe says; what is left over goes to the first
/// stages. Layers that split evenly without them stay even, as its first releases had them.
void settle_titan_stages(RecipeTerms& terms, const RecipeRequest& request, const DataFolder& data);

}  // namespace simtrain
