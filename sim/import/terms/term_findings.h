#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/core/files/data_folder.h"
#include "sim/core/input/input_error.h"
#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"
#include "sim/workload/kernels/precision.h"

namespace simtrain {

/// Behind the origin of an activation that is GELU in a gated unit: it moves as many bytes.
inline constexpr std::string_view kGatedGelu = ": GELU in a gated unit, as SwiGLU in one";

/// A term as the recipe gives it; the caller adds the key.
Finding of(const Given<bool>& given);
Finding of(const Given<std::int64_t>& given);
Finding of(const Given<std::string>& given);

/// What frameworks leave off by default.
Finding off();

/// The value of an option that names a file of a family. Throws InputError where there is none.
Finding named_file(const DataFolder& data, std::string_view family, const std::string& name,
                   const std::string& option);

/// Whether the recipe turns a switch on.
bool holds(const FlagTerm& term);

/// Whether a recipe's own keys make a mixture of experts.
bool is_mixture(const RecipeTerms& terms);

// Values that several terms decide together. Each throws InputError, with the option that sets the
// value otherwise, where they ask for what is not simulated.

/// `training.precision`; `recipe` is the place of the error where none is given.
Finding precision_of(const RecipeTerms& terms, const SourcePlace& recipe);
/// Megatron's `fp8_recipe` or `fp4_recipe` of a precision; nothing for BF16.
std::optional<std::string_view> scaling_recipe(Precision precision);
/// `optimizer.distributed`.
Finding distributed_of(const RecipeTerms& terms);
/// `optimizer.grad_reduce_dtype`.
Finding gradient_type_of(const RecipeTerms& terms);
/// `recompute`, of a recipe whose pipeline stages hold so many layers each, chunk by chunk; 0: not
/// known.
Finding recompute_of(const RecipeTerms& terms, std::int64_t layers_of_chunk);
/// `recompute_every_nth_layer`, where some layers of such a chunk are recomputed.
std::optional<Finding> recompute_distance_of(const RecipeTerms& terms,
                                             std::int64_t layers_of_chunk);
/// `recompute_modules` of a recipe that recomputes some modules.
Finding recompute_modules_of(const RecipeTerms& terms);
/// Whether a recipe says which modules are recomputed.
bool has_recompute_modules(const RecipeTerms& terms);
/// `cuda_graphs`.
Finding cuda_graphs_of(const RecipeTerms& terms);

}  // namespace simtrain
