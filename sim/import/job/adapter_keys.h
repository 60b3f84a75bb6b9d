#pragma once

#include <array>
#include <string>

#include "sim/import/terms/finding.h"
#include "sim/import/terms/key_table.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// Where run configurations of NeMo 2 and Megatron-Bridge have their adapters.
inline constexpr std::array kPeftKeys{
    KeyRow{"peft._target_", &RecipeTerms::peft_scheme},
    KeyRow{"peft.dim", &RecipeTerms::peft_dim},
    KeyRow{"peft.target_modules", &RecipeTerms::peft_target_modules},
    KeyRow{"peft.*", kLearned},
};

/// What a framework sets of adapters that its recipe does not say.
struct AdapterDefaults {
  int rank = 0;
  std::string modules;  ///< with commas between them; none: all
  std::string whose;    ///< "LoRA's default"
};

/// Of the class LoRA of NeMo 2 and of Megatron-Bridge.
AdapterDefaults lora_class_defaults();

/// Gives a recipe that trains adapters what its framework sets.
void add_adapter_defaults(const AdapterDefaults& defaults, RecipeTerms& terms);

/// Whether a recipe trains adapters of LoRA beside frozen weights. Throws InputError where it
/// trains others.
bool trains_adapters(const RecipeTerms& terms);

/// `lora.rank` and `lora.target_modules` of a recipe that trains adapters (LoRA) beside frozen
/// weights. Throws InputError, with the option that sets the value otherwise, where it trains
/// others, or adapters of modules that have none here.
void put_adapters(const RecipeTerms& terms, const PutFinding& put);

}  // namespace simtrain
