#pragma once

#include <optional>
#include <vector>

#include "sim/workload/plan/step_context.h"
#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {

/// The collective of one bucket, on one of a rank's groups.
struct BucketCall {
  GroupKind group{};
  TransferCost cost;
  /// After a reduction: the all-reduce of what the rank keeps of it among replicas of the state.
  std::optional<TransferCost> copies;
  /// Share of the chunk's forward before which its parameters are needed, or of its backward after
  /// which its gradients are full.
  double at = 0;
};

/// The collectives by which one chunk's parameters and gradients cross the data-parallel groups,
/// bucket after bucket: those of experts have buckets of their own.
struct ChunkBuckets {
  std::vector<BucketCall> gathers;     ///< parameters, in the order in which forward needs them
  std::vector<BucketCall> reductions;  ///< gradients, in the order in which backward fills them
};
/// Whether a bucket's parameters are needed before `parameters_done` of a chunk's forward, and
/// whether its gradients are full after that much of its backward.
bool needed_before(const BucketCall& bucket, double parameters_done);
bool full_after(const BucketCall& bucket, double parameters_done);

/// When a chunk's gradients are reduced, of parameters that every rank has whole: each bucket as
/// the last backward fills it, all of them behind that, or at the flush. Without overlap at the
/// flush; with one chunk a stage, as in Megatron, by bucket on the first stage and at the flush on
/// others.
enum class Reduced { by_bucket, behind_chunk, at_flush };
Reduced reduced(const Recipe& recipe, std::size_t chunks, int stage);

/// How the groups of a rank lie over which its gradients are summed and its state is sharded.
struct GradientGroups {
  GroupLayout data;         ///< of replicas those that shard the state of one
  GroupLayout expert_data;  ///< of one rank where the model has no experts
  GroupLayout copies;       ///< the ranks of other replicas that hold the same shard

  [[nodiscard]] const GroupLayout& of(GroupKind kind) const {
    return kind == GroupKind::data ? data : expert_data;
  }
};
GradientGroups gradient_groups(const JobContext& context, int rank);

/// The all-reduce among replicas of the part of `bytes` that a rank keeps after a reduction over
/// its `sharded` group; nothing without replicas.
std::optional<TransferCost> among_replicas(const JobContext& context, const GradientGroups& groups,
                                           GroupKind kind, std::int64_t bytes);

/// Splits what is trained of a chunk into buckets of the recipe's size; none where a group is a
/// single rank.
ChunkBuckets chunk_buckets(const JobContext& context, const ChunkLayout& chunk,
                           const GradientGroups& groups);

}  // namespace simtrain
