#include "sim/workload/plan/data_parallel.h"

#include <algorithm>
#include <cmath>

#include "sim/workload/plan/sharding.h"

namespace simtrain {

ChunkBuckets chunk_buckets(const JobContext& context, const ChunkLayout& chunk,
                           const GroupLayout& group) {
  const Recipe& recipe = context.recipe;
  const ShardingRow& sharding = sharding_of(recipe);
  ChunkBuckets buckets;
  if (group.ranks == 1) return buckets;
  const std::int64_t parameters = chunk_parameters(context.totals, chunk);
  const std::int64_t gradient_size = bytes_of(recipe.optimizer.grad_reduce_dtype);
  const auto whole = static_cast<double>(parameters * gradient_size);
  const auto count = std::max<std::int64_t>(
      1, std::llround(std::ceil(whole / (recipe.optimizer.bucket_size_mb * 1e6))));
  const LibraryEnvironment environment{context.cluster.spec(), recipe.software.library};
  const auto plan = [&](Collective collective, std::int64_t bytes) {
    return plan_collective({collective, Bytes(bytes), group}, environment);
  };
  // parameters * full / count would leave 64 bits for the largest models.
  const auto before = [&](std::int64_t full) {
    return parameters / count * full + parameters % count * full / count;
  };
  const LowParameters low = low_parameters(context.totals, chunk);
  // In which the first `done` parameters, in the order of the forward, are gathered.
  const auto gathered_bytes = [&](std::int64_t done) {
    const std::int64_t of_low = std::clamp<std::int64_t>(done - low.ahead, 0, low.count);
    return layer_weight_format(recipe).bytes_for(of_low) +
           recipe.precision().activation.bytes_for(done - of_low);
  };
  for (std::int64_t bucket = 0; bucket < count; ++bucket) {
    const std::int64_t elements = before(bucket + 1) - before(bucket);
    buckets.reductions.push_back(plan(sharding.gradient_reduction, elements * gradient_size));
    if (sharding.gathers_parameters) {
      buckets.gathers.push_back(plan(Collective::all_gather, gathered_bytes(before(bucket + 1)) -
                                                                 gathered_bytes(before(bucket))));
    }
    buckets.filled_at.push_back(static_cast<double>(bucket + 1) / static_cast<double>(count));
  }
  return buckets;
}

}  // namespace simtrain
