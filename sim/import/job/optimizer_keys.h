#pragma once

#include <string>
#include <string_view>

#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// Puts what the optimizer keeps its state in, where a recipe asks for a precision-aware optimizer
/// or for moments of another type than FP32.
void put_optimizer_state(const RecipeTerms& terms, const PutFinding& put);

/// PyTorch's name of a type of optimizer state: torch.bfloat16 of bf16.
std::string torch_type(std::string_view type);

}  // namespace simtrain
