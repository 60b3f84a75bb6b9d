#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/import/job/batch_size.h"
#include "sim/import/model/expert_keys.h"
#include "sim/import/terms/key_table.h"
#include "sim/import/terms/recipe_terms.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {

inline constexpr NotSimulated kUserBuffers{"buffers of FSDP that are registered with NCCL"};
inline constexpr Ignored kFsdpBuffers{"how FSDP keeps its buffers, which are simulated as usual"};

/// Settles what a recipe says of sharded parameters once it is read as a whole: the words of the
/// library that it uses become the terms of all, and those of one that it does not use are ignored.
/// Throws InputError at a word that none of them has.
void settle_sharding(RecipeReading& reading);

/// Puts the section `sharding` where the recipe has one. `ranks` are those of DP x CP. Throws
/// InputError where their number is not that of the recipe.
void put_sharding(const RecipeTerms& terms, const JobRanks& job, std::int64_t ranks,
                  const PutKey& put);

/// What the size of gradient buckets depends on.
struct BucketFacts {
  std::string grad_reduce_dtype;  ///< bf16 or fp32
  bool overlaps = false;          ///< they are reduced beside the backward
  bool by_units = false;          ///< parameters are sharded unit by unit, without buckets
  std::int64_t ranks = 1;         ///< of DP x CP
};

/// `optimizer.bucket_size_mb`: by Apex's bucket_cap_mb, by elements, or by the rule of Megatron's
/// DDP.
Finding bucket_of(const RecipeTerms& terms, const BucketFacts& facts);

/// Megatron-FSDP's word for a strategy; empty where it has none.
std::string_view megatron_fsdp_word(Sharding strategy);

/// The row of a strategy by its name; nullptr where none has it.
const ShardingRow* sharding_row(std::string_view name);

/// Whether a strategy gathers and reduces beside the passes unless it is asked not to.
bool overlaps_by_itself(const ShardingRow& row);

}  // namespace simtrain
