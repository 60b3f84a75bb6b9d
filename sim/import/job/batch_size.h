#pragma once

#include <cstdint>

#include "sim/core/input/input_error.h"
#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// What batches are dealt out to.
struct JobRanks {
  std::int64_t gpus = 1;
  std::int64_t replicas = 1;  ///< data-parallel ones
  std::int64_t nodes = 1;
  std::int64_t widened = 1;  ///< times the GPUs that the recipe gives
};

/// `training.global_batch_size`: as the recipe gives it, or of what a replica, a GPU or a
/// micro-batch has; where none of them is given, assumed to be one micro-batch of so many samples a
/// replica. Where the job has more GPUs than the recipe, a replica keeps its samples. Throws
/// InputError at a key where its share is no whole number.
Finding global_batch_of(const RecipeTerms& terms, const JobRanks& job, std::int64_t micro_batch);

/// `training.micro_batch_size`: as the recipe gives it, or a replica's samples of a step over its
/// micro-batches.
Finding micro_batch_of(const RecipeTerms& terms, const JobRanks& job, const SourcePlace& recipe);

}  // namespace simtrain
