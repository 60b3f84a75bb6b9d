#pragma once

#include <span>
#include <string_view>

#include "sim/import/hugging_face/hugging_face_types.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// The keys of a Hugging Face model type that are its own, or mean something else than in others.
/// They go before those of all types.
std::vector<KeyRow> hugging_face_own_keys(std::string_view model_type);

/// Turns what a configuration says of experts into Megatron's terms. `experts` is whether the code
/// of the model type, `whose`, has them. Throws InputError where configuration and code do not
/// agree, or the configuration leaves out how many there are.
void settle_hugging_face_experts(RecipeTerms& terms, TypeExperts experts, const std::string& whose,
                                 const std::string& path);

}  // namespace simtrain
