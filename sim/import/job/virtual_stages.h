#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sim/core/input/input_error.h"
#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// `parallelism.virtual_pipeline_model_parallel_size` over `pp` stages: by the layout of stages, as
/// the recipe gives it, or of the layers of a chunk. `layers` are those of a model that the recipe
/// only names, or 0. Throws InputError where those do not divide the layers, at `recipe` if the key
/// has no place.
Finding virtual_stages_of(const RecipeTerms& terms, std::int64_t layers, std::int64_t pp,
                          const SourcePlace& recipe);

/// Makes a layout of `num_layers_in_first_pipeline_stage` and `..._last_...`: what is left of all
/// layers is dealt evenly to the stages between. Throws InputError where that is not possible.
void settle_uneven_stages(RecipeTerms& terms, const RecipeRequest& request, const DataFolder& data,
                          const SourcePlace& recipe);

/// The layout of a pipeline by the layers of its stages, chunk after chunk: `Et*3|t*4|t*2L`.
std::string layout_of(std::span<const std::int64_t> layers, std::int64_t mtp);

}  // namespace simtrain
