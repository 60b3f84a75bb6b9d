#include "sim/workload/plan/data/buckets.h"

#include <algorithm>
#include <cmath>

#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/data/whole_tensors.h"

namespace simtrain {
namespace {

/// The buckets of the parameters of one kind of group.
class GroupBuckets {
 public:
  GroupBuckets(const JobContext& context, const ChunkLayout& chunk, GroupKind kind,
               const GradientGroups& groups)
      : context_(context),
        recipe_(context.recipe),
        chunk_(chunk),
        kind_(kind),
        groups_(groups),
        group_(groups.of(kind)),
        parameters_(trained_parameters(context.totals, chunk, kind)),
        low_(recipe_.lora ? LowParameters{} : low_parameters(context.totals, chunk, kind)) {
    const auto whole = static_cast<double>(parameters_ * gradient_size());
    count_ = std::max<std::int64_t>(
        1, std::llround(std::ceil(whole / (recipe_.optimizer.bucket_size_mb * 1e6))));
  }

  void add_to(ChunkBuckets& buckets) const {
    if (group_.ranks == 1 || parameters_ == 0) return;
    const ShardingRow& sharding = sharding_of(recipe_);
    for (std::int64_t bucket = 0; bucket < count_; ++bucket) {
      const std::int64_t elements = before(bucket + 1) - before(bucket);
      const std::int64_t gradients = elements * gradient_size();
      buckets.reductions.push_back(call(sharding.gradient_reduction, gradients, bucket + 1));
      buckets.reductions.back().copies = among_replicas(context_, groups_, kind_, gradients);
      if (!sharding.gathers_parameters || sharding.whole_tensors) continue;
      const std::int64_t bytes =
          gathered_bytes(before(bucket + 1)) - gathered_bytes(before(bucket));
      buckets.gathers.push_back(call(Collective::all_gather, bytes, bucket));
    }
    if (sharding.whole_tensors) add_broadcasts(buckets);
  }

 private:
  /// By each rank that owns tensors, one after the other; none of the forward starts before all.
  void add_broadcasts(ChunkBuckets& buckets) const {
    const TensorFormat& format = recipe_.precision().activation;
    for (const std::int64_t elements :
         whole_tensor_shards(context_.totals, chunk_, kind_, group_.ranks))
      buckets.gathers.push_back(call(Collective::broadcast, format.bytes_for(elements), 0));
  }
  [[nodiscard]] std::int64_t gradient_size() const {
    return bytes_of(recipe_.optimizer.grad_reduce_dtype);
  }
  [[nodiscard]] BucketCall call(Collective collective, std::int64_t bytes,
                                std::int64_t done) const {
    return {context_.grid.sharded_over(kind_),
            plan_collective({collective, Bytes(bytes), group_},
                            {context_.cluster.spec(), recipe_.software.library}),
            {},
            static_cast<double>(done) / static_cast<double>(count_)};
  }
  /// parameters * full / count would leave 64 bits for the largest models.
  [[nodiscard]] std::int64_t before(std::int64_t full) const {
    return parameters_ / count_ * full + parameters_ % count_ * full / count_;
  }
  /// In which the first `done` parameters, in the order of the forward, are gathered.
  [[nodiscard]] std::int64_t gathered_bytes(std::int64_t done) const {
    const std::int64_t of_low = std::clamp<std::int64_t>(done - low_.ahead, 0, low_.count);
    return gathered_weight_format(recipe_).bytes_for(of_low) +
           recipe_.precision().activation.bytes_for(done - of_low);
  }

  const JobContext& context_;
  const Recipe& recipe_;
  const ChunkLayout& chunk_;
  GroupKind kind_;
  const GradientGroups& groups_;
  const GroupLayout& group_;
  std::int64_t parameters_;
  LowParameters low_;
  std::int64_t count_ = 1;
};

/// Of equal ones those of the first group come first.
void sort_by_time(std::vector<BucketCall>& calls) {
  std::stable_sort(calls.begin(), calls.end(),
                   [](const BucketCall& a, const BucketCall& b) { return a.at < b.at; });
}

constexpr double kRounding = 1e-9;

}  // namespace

bool needed_before(const BucketCall& bucket, double parameters_done) {
  return bucket.at < parameters_done - kRounding;
}

Reduced reduced(const Recipe& recipe, std::size_t chunks, int stage) {
  if (!recipe.overlap.overlap_grad_reduce) return Reduced::at_flush;
  if (chunks > 1) return Reduced::behind_chunk;
  return stage == 0 ? Reduced::by_bucket : Reduced::at_flush;
}

bool full_after(const BucketCall& bucket, double parameters_done) {
  return bucket.at <= parameters_done + kRounding;
}

GradientGroups gradient_groups(const JobContext& context, int rank) {
  GradientGroups groups{context.layout(context.grid.sharded_over(GroupKind::data), rank), {}, {}};
  if (context.grid.ranks_of(GroupKind::expert_data) > 1)
    groups.expert_data = context.layout(GroupKind::expert_data, rank);
  if (context.grid.ranks_of(GroupKind::shard_copies) > 1)
    groups.copies = context.layout(GroupKind::shard_copies, rank);
  return groups;
}

std::optional<TransferCost> among_replicas(const JobContext& context, const GradientGroups& groups,
                                           GroupKind kind, std::int64_t bytes) {
  if (kind != GroupKind::data || groups.copies.ranks == 1) return {};
  const std::int64_t kept = std::max<std::int64_t>(1, bytes / groups.data.ranks);
  return plan_collective({Collective::all_reduce, Bytes(kept), groups.copies},
                         {context.cluster.spec(), context.recipe.software.library});
}

ChunkBuckets chunk_buckets(const JobContext& context, const ChunkLayout& chunk,
                           const GradientGroups& groups) {
  ChunkBuckets buckets;
  for (const GroupKind kind : kGradientGroups)
    GroupBuckets(context, chunk, kind, groups).add_to(buckets);
  sort_by_time(buckets.gathers);
  sort_by_time(buckets.reductions);
  return buckets;
}

}  // namespace simtrain
