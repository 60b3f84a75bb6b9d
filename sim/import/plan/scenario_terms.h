#pragma once

#include "sim/import/terms/recipe_terms.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// A scenario in the words of Megatron Core that all formats share: what reading a recipe of it
/// would have found. Each term's origin is the key of the scenario. What Megatron Core has no word
/// for is left out (faults, placement, adapters, packed sequences, other schedules); the words of
/// other frameworks are for their own formats to put in.
RecipeTerms scenario_terms(const Scenario& scenario);

/// The same of a model's shape. Layers that are made of other blocks than an attention and a feed
/// forward, or attend within chunks, are left out.
void add_model_terms(const ModelSpec& model, RecipeTerms& terms);

/// A term that a key of the scenario gives.
template <class T>
void give(std::optional<Given<T>>& term, std::type_identity_t<T> value, std::string_view key) {
  term = Given<T>{std::move(value), std::string(key), false, {}};
}

}  // namespace simtrain
