#include "sim/study/tune/stage_bound.h"

#include <algorithm>
#include <cmath>

#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/data/buckets.h"
#include "sim/workload/plan/program/step_end.h"
#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/plan/stragglers.h"
#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

double seconds(const ComputeCost& cost) { return to_seconds(cost.time); }

double seconds(const std::vector<BucketCall>& buckets) {
  double sum = 0;
  for (const BucketCall& bucket : buckets) sum += to_seconds(bucket.cost.alone());
  return sum;
}

/// The first rank of a stage: of the first pipeline.
int rank_of(const JobContext& context, int stage) { return context.grid.rank({0, 0, 0, stage}); }

/// A message between a stage and the next: activations or their gradients.
double message(const JobContext& context, int stage) {
  return to_seconds(stage_message(context, rank_of(context, stage), 1).alone());
}

class StageBounder {
 public:
  StageBounder(const BoundContext& context, int stage)
      : context_(context),
        recipe_(context.recipe),
        passes_(context, context.pieces, stage),
        micro_batches_(context.grid.micro_batches()) {
    bound_.stage = stage;
  }

  StageBound bound(bool with_ends) {
    add_passes();
    add_waits();
    if (!overlaps_messages(recipe_) && recipe_.pp() > 1) add_messages();
    bound_.first_done = bound_.before + bound_.first_forward;
    if (with_ends) add_ends();
    return bound_;
  }

 private:
  [[nodiscard]] bool last() const { return bound_.stage == recipe_.pp() - 1; }

  void add_passes() {
    for (const CountedPass& pass : counted_passes(recipe_, bound_.stage, micro_batches_))
      append(all_, passes_.computed(pass.action), pass.times);
    bound_.passes = seconds(all_);
    bound_.first_forward = seconds(passes_.computed({Phase::forward, 0, 0}));
    bound_.last_backward = seconds(passes_.computed({Phase::backward, micro_batches_ - 1, 0}));
    add_way_back();
  }

  /// A cut backward hands on before its weight gradient, and weight gradients follow the last one.
  void add_way_back() {
    const PipelineStage pipeline(pipeline_shape(recipe_, micro_batches_), bound_.stage);
    if (!pipeline.schedule().cuts_backward) return;
    bound_.last_backward =
        std::min(bound_.last_backward, seconds(passes_.computed({Phase::input_gradient, 0, 0})));
    const std::vector<Task> tasks = pipeline.tasks();
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
      if (task->sends_gradient() && task->chunk == 0) break;
      bound_.behind += seconds(passes_.computed(*task));
    }
  }

  /// After the passes: deferred weight gradients, and the wait for the slowest rank.
  void add_waits() {
    if (last()) {
      bound_.after += seconds(passes_.piece({Part::head, Phase::weight_gradient})) *
                      recipe_.deferred_weight_gradients(micro_batches_);
    }
    bound_.after +=
        seconds(straggler_wait(context_.cluster.spec().gpu.power, all_,
                               ranks_met_in_passes(recipe_, context_.grid), context_.grid.ranks()));
  }

  /// Messages that are not overlapped: a stage waits for one between two calls.
  void add_messages() {
    const PipelineStage pipeline(pipeline_shape(recipe_, micro_batches_), bound_.stage);
    const std::vector<Task> tasks = pipeline.tasks();
    std::int64_t waits = 0;
    bool sent = false;
    for (const std::span<const Task> call : calls_of(tasks, false)) {
      const bool first = call.data() == tasks.data();
      if (!first && (sent || pipeline.source(call.front()) != 0)) ++waits;
      sent = std::any_of(call.begin(), call.end(),
                         [&](const Task& task) { return pipeline.goal(task) != 0; });
    }
    double shortest = message(context_, last() ? bound_.stage - 1 : bound_.stage);
    if (bound_.stage > 0) shortest = std::min(shortest, message(context_, bound_.stage - 1));
    bound_.passes += static_cast<double>(waits) * shortest;
  }
  void add_ends() {
    const int rank = rank_of(context_, bound_.stage);
    const GradientGroups groups = gradient_groups(context_, rank);
    const StepEndCosts end =
        step_end_costs(context_, rank, passes_.chunks(), groups, context_.world);
    bound_.before = seconds(end.zero_gradients);
    if (!sharding_of(recipe_).units) add_buckets(groups);
    if (recipe_.reduces_norm_gradients()) bound_.after += to_seconds(end.norm_gradients.alone());
    bound_.after += seconds(end.gradient_norm);
    bound_.data += seconds(end.gradient_norm);
    bound_.end += seconds(end.host_wait) + seconds(end.optimizer);
    if (context_.grid.ranks() > 1) bound_.end += to_seconds(end.norm_reduction.alone());
  }

  void add_buckets(const GradientGroups& groups) {
    std::vector<ChunkBuckets> buckets;
    for (const ChunkLayout& chunk : passes_.chunks())
      buckets.push_back(chunk_buckets(context_, chunk, groups));
    add_gathers(buckets);
    add_reductions(buckets);
  }

  void add_gathers(const std::vector<ChunkBuckets>& buckets) {
    double all = 0;
    for (const ChunkBuckets& chunk : buckets) all += seconds(chunk.gathers);
    if (recipe_.overlap.overlap_param_gather) {
      bound_.data += all;
      bound_.first_done = first_forward_done(buckets.front().gathers);
    } else {
      bound_.first_done = bound_.before + bound_.first_forward;
      bound_.end += all;
    }
  }

  /// The first forward waits, stretch by stretch, for the bucket that holds its parameters.
  [[nodiscard]] double first_forward_done(const std::vector<BucketCall>& gathers) const {
    double now = bound_.before;
    std::size_t arrived = 0;
    double gathered = 0;
    for (const Segment& segment : passes_.segments({Phase::forward, 0, 0})) {
      while (arrived < gathers.size() &&
             (arrived == 0 || needed_before(gathers[arrived], segment.parameters_done)))
        gathered += to_seconds(gathers[arrived++].cost.alone());
      now = std::max(now, gathered) + seconds(segment.cost);
    }
    return now;
  }

  /// Chunk 0 is never reduced, or not to its last bucket, before the last pass is over. Where the
  /// reductions wait for the flush they also come after the wait for stragglers.
  void add_reductions(const std::vector<ChunkBuckets>& buckets) {
    double all = 0;
    for (const ChunkBuckets& chunk : buckets) all += seconds(chunk.reductions);
    bound_.data += all;
    const Reduced when = reduced(recipe_, buckets.size(), bound_.stage);
    if (when == Reduced::at_flush) {
      bound_.after += all;
      return;
    }
    const std::vector<BucketCall>& last_ones = buckets.front().reductions;
    const double behind = last_ones.empty()            ? 0
                          : when == Reduced::by_bucket ? to_seconds(last_ones.back().cost.alone())
                                                       : seconds(last_ones);
    bound_.after = std::max(bound_.after, behind);
  }

  const BoundContext& context_;
  const Recipe& recipe_;
  StagePasses passes_;
  int micro_batches_;
  ComputeCost all_;
  StageBound bound_;
};

}  // namespace

StageBound stage_bound(const BoundContext& context, int stage, bool with_ends) {
  return StageBounder(context, stage).bound(with_ends);
}

double bound_of(const JobContext& context, const std::vector<StageBound>& stages) {
  const auto of = [&](int stage) -> const StageBound& {
    return *std::find_if(stages.begin(), stages.end(),
                         [&](const StageBound& bound) { return bound.stage >= stage; });
  };
  double first_done = stages.front().first_done;
  double way_back = 0;
  double norm = 0;  // when all have come to the reduction of the norm
  double end = 0;
  int stage = 0;
  for (const StageBound& bound : stages) {
    for (; stage < bound.stage; ++stage) {
      const double sent = message(context, stage);
      first_done += sent + of(stage + 1).first_forward;
      way_back += sent + of(stage).last_backward;
    }
    first_done = std::max(first_done, bound.first_done);
    const double done = first_done + bound.passes - bound.first_forward;
    const double back = done - bound.behind + way_back;
    norm = std::max({norm, done + bound.after, back + stages.front().after, bound.data});
    end = std::max(end, bound.end);
  }
  return norm + end;
}

}  // namespace simtrain
