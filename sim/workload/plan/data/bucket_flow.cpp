#include "sim/workload/plan/data/bucket_flow.h"

#include <algorithm>

namespace simtrain {

BucketFlow::BucketFlow(const StepContext& context, int rank, const GradientGroups& groups,
                       const StagePasses& passes, StepProgram& step)
    : recipe_(context.recipe),
      sharding_(sharding_of(context.recipe)),
      stage_(context.grid.coordinates(rank).pp),
      when_(reduced(recipe_, passes.chunks().size(), stage_)),
      step_(step) {
  const PipelineShape shape = pipeline_shape(recipe_, context.grid.micro_batches());
  together_ = schedule_of(shape).calls_together;
  group_size_ = shape.group_size();
  buckets_.reserve(passes.chunks().size());
  for (const ChunkLayout& chunk : passes.chunks())
    buckets_.push_back(chunk_buckets(context, chunk, groups));
  gathered_.resize(buckets_.size());
  reduced_.resize(buckets_.size(), false);
}

void BucketFlow::begin() {
  if (!recipe_.overlap.overlap_param_gather) return;
  for (std::size_t chunk = 0; chunk < std::min<std::size_t>(2, buckets_.size()); ++chunk)
    gather(chunk, kNoOp);
}

bool BucketFlow::gathers(const Task& task) const {
  return task.forward() && task.micro_batch == 0 &&
         !gathered_[static_cast<std::size_t>(task.chunk)].empty();
}

bool BucketFlow::reduces(const Task& task) const {
  return task.makes_weight_gradients() && when_ == Reduced::by_bucket &&
         (sharding_.shards_gradients || task.completes);
}

bool BucketFlow::cuts(const Task& task) const { return gathers(task) || reduces(task); }

std::uint32_t BucketFlow::before(const Task& task, double parameters_done, std::size_t stretch) {
  if (stretch == 0) next_bucket_ = 0;
  const auto chunk = static_cast<std::size_t>(task.chunk);
  if (gathers(task)) return gathered_by(chunk, parameters_done);
  return reduces_after_passes() ? last_ : kNoOp;
}

void BucketFlow::after(const Task& task, double parameters_done, std::size_t /*stretch*/) {
  if (!reduces(task)) return;
  const std::vector<BucketCall>& reductions =
      buckets_[static_cast<std::size_t>(task.chunk)].reductions;
  while (next_bucket_ < reductions.size() && full_after(reductions[next_bucket_], parameters_done))
    add(reductions[next_bucket_++], Label::gradient_reduce, step_.last_compute);
}

void BucketFlow::after_pass(const Task& task) {
  const auto chunk = static_cast<std::size_t>(task.chunk);
  if (task.forward()) return gather_ahead(task);
  if (!task.makes_weight_gradients()) return;
  if (reduces(task)) reduced_[chunk] = true;
  if (reduces_after_passes()) {
    reduced_[chunk] = false;
    reduce(chunk);
  }
  reduce_behind(task);
}

std::uint32_t BucketFlow::flush() {
  for (std::size_t chunk = buckets_.size(); chunk-- > 0;) reduce(chunk);
  return last_;
}

void BucketFlow::after_optimizer() {
  if (!sharding_.gathers_parameters || recipe_.overlap.overlap_param_gather) return;
  for (std::size_t chunk = 0; chunk < buckets_.size(); ++chunk) gather(chunk, step_.last_compute);
}

std::uint32_t BucketFlow::add(const BucketCall& bucket, Label label, std::uint32_t after) {
  last_ = step_.add_transfer(Stream::data, bucket.group, step_.program.add_transfer(bucket.cost),
                             label, after);
  if (bucket.copies)
    last_ = step_.add_transfer(Stream::replicas, GroupKind::shard_copies,
                               step_.program.add_transfer(*bucket.copies), label, last_);
  return last_;
}

void BucketFlow::gather(std::size_t chunk, std::uint32_t after) {
  for (const BucketCall& bucket : buckets_[chunk].gathers)
    gathered_[chunk].push_back(add(bucket, Label::parameter_gather, after));
}

/// The last gather of a chunk that its forward waits for up to there; the data stream runs in
/// order.
std::uint32_t BucketFlow::gathered_by(std::size_t chunk, double parameters_done) const {
  const std::vector<BucketCall>& buckets = buckets_[chunk].gathers;
  std::size_t bucket = 0;
  while (bucket + 1 < buckets.size() && needed_before(buckets[bucket + 1], parameters_done))
    ++bucket;
  return gathered_[chunk][bucket];
}

/// Parameters of chunk c+1 are gathered when chunk c starts. Where stages launch together, when it
/// starts anywhere in the pipeline: this one launches `stage` passes early (Megatron's
/// param_sync_func).
void BucketFlow::gather_ahead(const Task& task) {
  const int ahead = forwards_++ + stage_;
  if (!recipe_.overlap.overlap_param_gather) return;
  const auto chunk = static_cast<std::size_t>(together_ ? ahead / group_size_ : task.chunk) + 1;
  if (chunk < 2 || chunk >= buckets_.size() || !gathered_[chunk].empty()) return;
  gather(chunk, step_.last_compute);
}

/// Sharded gradients that are not overlapped: each micro-batch's are reduced after its backward.
bool BucketFlow::reduces_after_passes() const {
  return sharding_.shards_gradients && !recipe_.overlap.overlap_grad_reduce;
}

/// With several chunks, a chunk is reduced after its last backward pass; where stages launch
/// together `stage` passes after it, so that all are in the same slot (Megatron's grad_sync_func).
void BucketFlow::reduce_behind(const Task& task) {
  if (when_ != Reduced::behind_chunk) return;
  finished_.push_back(task.completes ? task.chunk : -1);
  const int slot = static_cast<int>(finished_.size()) - 1 - (together_ ? stage_ : 0);
  if (slot >= 0 && finished_[static_cast<std::size_t>(slot)] >= 0)
    reduce(static_cast<std::size_t>(finished_[static_cast<std::size_t>(slot)]));
}

void BucketFlow::reduce(std::size_t chunk) {
  if (reduced_[chunk]) return;
  for (const BucketCall& bucket : buckets_[chunk].reductions)
    add(bucket, Label::gradient_reduce, step_.last_compute);
  reduced_[chunk] = true;
}

}  // namespace simtrain
