#include "sim/workload/plan/stage_program.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "sim/core/invariant.h"
#include "sim/workload/plan/data_parallel.h"
#include "sim/workload/plan/sharding.h"
#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/plan/step_end.h"
#include "sim/workload/plan/stragglers.h"
#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

class StageProgramBuilder {
 public:
  StageProgramBuilder(const StepContext& context, int rank)
      : context_(context),
        recipe_(context.recipe),
        rank_(rank),
        stage_(context.grid.coordinates(rank).pp),
        last_stage_(stage_ == recipe_.pp() - 1),
        passes_(context, context.pieces_of(rank), stage_),
        chunks_(passes_.chunks()),
        pipeline_({recipe_.pp(), recipe_.vp(), context.grid.micro_batches()}, stage_) {
    const GradientGroups groups = gradient_groups(context, rank_);
    for (const ChunkLayout& chunk : chunks_) {
      buckets_.push_back(chunk_buckets(context, chunk, groups));
    }
    end_ = step_end_costs(context, rank_, chunks_, groups, context.classes.world);
    gathered_.resize(chunks_.size());
    reduced_.resize(chunks_.size(), false);
  }

  Program build() {
    own_compute(end_.zero_gradients, Label::optimizer);
    if (recipe_.overlap.overlap_param_gather) {
      for (std::size_t chunk = 0; chunk < std::min<std::size_t>(2, chunks_.size()); ++chunk)
        gather(chunk, kNoOp);
    }
    add_passes(pipeline_.tasks());
    flush();
    return std::move(program_);
  }

 private:
  // --- passes ---

  /// Tasks that exchange their messages in one call run as one: it sends what they made and
  /// receives what the next ones need. Overlapped, each has messages of its own.
  void add_passes(const std::vector<Task>& tasks) {
    const bool overlapped = recipe_.overlap.overlap_p2p_comm;
    for (std::size_t next = 0; next < tasks.size();) {
      std::size_t count = 1;
      while (!overlapped && tasks[next + count - 1].with_next) ++count;
      exchange({tasks.data() + next, count});
      next += count;
    }
  }

  void exchange(std::span<const Task> tasks) {
    std::vector<std::uint32_t> received;
    for (const Task& task : tasks)
      received.push_back(has_source(task) ? receive(task, posted(task)) : kNoOp);
    for (std::size_t i = 0; i < tasks.size(); ++i) compute(tasks[i], received[i]);
    for (const Task& task : tasks) {
      if (has_goal(task)) send(task);
      synchronize_data(task);
    }
  }

  /// Overlapped, a receive is posted as soon as the last pass of its direction has run; otherwise
  /// after whatever pass ran last.
  [[nodiscard]] std::uint32_t posted(const Task& task) const {
    if (!recipe_.overlap.overlap_p2p_comm) return last_pass_;
    return task.direction == Direction::forward ? last_forward_ : last_backward_;
  }

  void synchronize_data(const Task& action) {
    const bool forward = action.direction == Direction::forward;
    (forward ? forwards_ : backwards_) += 1;
    forward ? gather_ahead() : reduce_behind(action);
  }

  [[nodiscard]] bool has_source(const Task& task) const { return pipeline_.source(task) != 0; }
  [[nodiscard]] bool has_goal(const Task& task) const { return pipeline_.goal(task) != 0; }

  std::uint32_t receive(const Task& action, std::uint32_t posted) {
    const bool forward = action.direction == Direction::forward;
    Op op = message(action, forward ? Stream::receive_forward : Stream::receive_backward,
                    pipeline_.source(action) < 0 ? GroupKind::from_previous : GroupKind::from_next,
                    Label::receive);
    op.cost = p2p_cost(pipeline_.source(action));
    op.after[0] = posted;
    return program_.add(op);
  }

  void send(const Task& action) {
    const bool forward = action.direction == Direction::forward;
    Op op = message(action, forward ? Stream::send_forward : Stream::send_backward,
                    pipeline_.goal(action) > 0 ? GroupKind::to_next : GroupKind::to_previous,
                    Label::send);
    op.cost = p2p_cost(pipeline_.goal(action));
    op.after[0] = last_pass_;
    const std::uint32_t sent = program_.add(op);
    if (!recipe_.overlap.overlap_p2p_comm) blocking_sends_.push_back(sent);
  }

  static Op transfer(Stream stream, GroupKind slot, Label label) {
    Op op;
    op.compute = false;
    op.stream = stream;
    op.group = slot;
    op.label = label;
    return op;
  }

  static Op message(const Task& action, Stream stream, GroupKind slot, Label label) {
    Op op = transfer(stream, slot, label);
    op.chunk = static_cast<std::uint16_t>(action.chunk);
    op.micro_batch = static_cast<std::uint32_t>(action.micro_batch);
    return op;
  }

  std::uint32_t p2p_cost(int step) {
    auto& index = p2p_costs_[step > 0 ? 1 : 0];
    if (index == kNoOp) index = program_.add_transfer(stage_message(context_, rank_, step));
    return index;
  }

  void compute(const Task& action, std::uint32_t received) {
    const bool forward = action.direction == Direction::forward;
    const auto chunk = static_cast<std::size_t>(action.chunk);
    const bool gathers = forward && action.micro_batch == 0 && !gathered_[chunk].empty();
    const bool reduces = !forward && reduces_by_bucket() && is_last_micro_batch(action);
    Op op;
    op.group = GroupKind::replica;
    op.label = forward ? Label::forward : Label::backward;
    op.chunk = static_cast<std::uint16_t>(action.chunk);
    op.micro_batch = static_cast<std::uint32_t>(action.micro_batch);
    op.after[0] = received;
    invariant(blocking_sends_.size() <= 2, "a pass follows at most two sends");
    std::copy(blocking_sends_.begin(), blocking_sends_.end(), op.after.begin() + 1);
    blocking_sends_.clear();
    if (!gathers && !reduces) {
      op.cost = pass_cost(action);
      emit_pass(op, forward);
      return;
    }
    std::size_t next_bucket = 0;
    for (const Segment& segment : passes_.segments(action)) {
      op.cost = add_pass_cost(segment.cost);
      if (gathers) op.after[3] = gathered_by(chunk, segment.parameters_done);
      emit_pass(op, forward);
      op.after.fill(kNoOp);
      if (!reduces) continue;
      const std::vector<BucketCall>& reductions = buckets_[chunk].reductions;
      while (next_bucket < reductions.size() &&
             full_after(reductions[next_bucket], segment.parameters_done)) {
        data_op(reductions[next_bucket++], Label::gradient_reduce, last_pass_);
      }
    }
    if (reduces) reduced_[chunk] = true;
  }

  void emit_pass(const Op& op, bool forward) {
    last_pass_ = program_.add(op);
    (forward ? last_forward_ : last_backward_) = last_pass_;
  }

  [[nodiscard]] bool is_last_micro_batch(const Task& action) const {
    return action.micro_batch + 1 == context_.grid.micro_batches();
  }

  std::uint32_t pass_cost(const Task& action) {
    const std::size_t variant =
        (action.direction == Direction::forward ? 0U : 2U) + (passes_.differs(action) ? 1U : 0U);
    pass_costs_.resize(chunks_.size(), {kNoOp, kNoOp, kNoOp, kNoOp});
    std::uint32_t& index = pass_costs_[static_cast<std::size_t>(action.chunk)][variant];
    if (index == kNoOp) index = add_pass_cost(passes_.whole(action));
    return index;
  }

  /// The traffic of all passes is counted as that of one call on each kind of group.
  std::uint32_t add_pass_cost(const PieceCost& cost) {
    ComputeCost pass = cost;
    PassTraffic inner{};
    double moving_s = 0;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      TransferCost& call = inner_calls_[i];
      if (call.wire.value() == 0) call = cost.inner[i].call;
      inner[i].call = call;
      inner[i].add(cost.inner[i], 1);
      moving_s += inner[i].moving_s;
    }
    if (moving_s > 0) {
      pass.traffic = static_cast<std::uint32_t>(program_.inner.size());
      program_.inner.push_back(inner);
    }
    return program_.add_cost(pass);
  }

  // --- data parallel ---

  std::uint32_t data_op(const BucketCall& bucket, Label label, std::uint32_t after) {
    Op op = transfer(Stream::data, bucket.group, label);
    op.cost = program_.add_transfer(bucket.cost);
    op.after[0] = after;
    last_data_ = program_.add(op);
    return last_data_;
  }

  void gather(std::size_t chunk, std::uint32_t after) {
    for (const BucketCall& bucket : buckets_[chunk].gathers) {
      gathered_[chunk].push_back(data_op(bucket, Label::parameter_gather, after));
    }
  }

  /// The last gather of a chunk that its forward waits for up to there; the data stream runs in
  /// order.
  [[nodiscard]] std::uint32_t gathered_by(std::size_t chunk, double parameters_done) const {
    const std::vector<BucketCall>& buckets = buckets_[chunk].gathers;
    std::size_t bucket = 0;
    while (bucket + 1 < buckets.size() && needed_before(buckets[bucket + 1], parameters_done))
      ++bucket;
    return gathered_[chunk][bucket];
  }

  /// Parameters of chunk c+1 are gathered when chunk c starts anywhere in the pipeline: all stages
  /// launch in the same slot, this one `stage` passes early (Megatron's param_sync_func).
  void gather_ahead() {
    if (!recipe_.overlap.overlap_param_gather) return;
    const int ahead = forwards_ - 1 + stage_;
    const int slot = recipe_.pp();
    const auto chunk = static_cast<std::size_t>(ahead / slot) + 1;
    if (chunk < 2 || chunk >= chunks_.size() || !gathered_[chunk].empty()) return;
    gather(chunk, last_pass_);
  }

  /// With one chunk, the first stage reduces each bucket as it fills; the others wait for the
  /// flush.
  [[nodiscard]] bool reduces_by_bucket() const {
    return recipe_.overlap.overlap_grad_reduce && recipe_.vp() == 1 && stage_ == 0;
  }

  /// With several chunks, a chunk is reduced `stage` backward passes after its last one, so that
  /// all stages launch in the same slot (Megatron's grad_sync_func).
  void reduce_behind(const Task& action) {
    if (!recipe_.overlap.overlap_grad_reduce || recipe_.vp() == 1) return;
    finished_.push_back(is_last_micro_batch(action) ? action.chunk : -1);
    const int slot = backwards_ - 1 - stage_;
    if (slot >= 0 && finished_[static_cast<std::size_t>(slot)] >= 0) {
      reduce(static_cast<std::size_t>(finished_[static_cast<std::size_t>(slot)]));
    }
  }

  void reduce(std::size_t chunk) {
    if (reduced_[chunk]) return;
    for (const BucketCall& bucket : buckets_[chunk].reductions)
      data_op(bucket, Label::gradient_reduce, last_pass_);
    reduced_[chunk] = true;
  }

  // --- before and after ---

  void own_compute(const ComputeCost& cost, Label label, std::uint32_t after = kNoOp) {
    Op op;
    op.label = label;
    op.cost = program_.add_cost(cost);
    op.after[0] = after;
    last_pass_ = program_.add(op);
  }

  void flush() {
    deferred_weight_gradients();
    wait_for_stragglers();
    for (std::size_t chunk = chunks_.size(); chunk-- > 0;) reduce(chunk);
    std::uint32_t ready = last_data_;
    if (recipe_.holds_table_twice() && (stage_ == 0 || last_stage_)) ready = add_table_gradients();
    if (recipe_.tp() > 1 && recipe_.parallelism.sequence_parallel) {
      ready = end_transfer(end_.norm_gradients, Stream::tensor, GroupKind::tensor,
                           Label::gradient_reduce, ready);
    }
    own_compute(end_.gradient_norm, Label::gradient_norm, ready);
    ready = kNoOp;
    if (context_.grid.ranks() > 1) {
      ready = end_transfer(end_.norm_reduction, Stream::data, GroupKind::world,
                           Label::gradient_norm, kNoOp);
    }
    own_compute(end_.host_wait, Label::gradient_norm, ready);
    own_compute(end_.optimizer, Label::optimizer);
    if (sharding_of(recipe_).gathers_parameters && !recipe_.overlap.overlap_param_gather) {
      for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) gather(chunk, last_pass_);
    }
  }

  /// The first and the last stage add up their gradients of the table of word embeddings.
  std::uint32_t add_table_gradients() {
    const int step = last_stage_ ? 1 : -1;
    const TransferCost cost = table_message(context_, rank_, step);
    end_transfer(cost, Stream::send_forward, step > 0 ? GroupKind::to_next : GroupKind::to_previous,
                 Label::send, last_data_);
    return end_transfer(cost, Stream::receive_forward,
                        step > 0 ? GroupKind::from_next : GroupKind::from_previous, Label::receive,
                        last_data_);
  }

  void deferred_weight_gradients() {
    if (!last_stage_ || !recipe_.overlap.defer_embedding_wgrad_compute) return;
    const int kept = recipe_.deferred_weight_gradients(context_.grid.micro_batches());
    PieceCost cost;
    append(cost, passes_.piece({Part::head, Phase::weight_gradient}), kept);
    Op op;
    op.group = GroupKind::replica;
    op.label = Label::weight_gradient;
    op.cost = add_pass_cost(cost);
    last_pass_ = program_.add(op);
  }

  /// At the end of a step all ranks meet for the gradients.
  void wait_for_stragglers() {
    program_.passes = passes_of(program_);
    own_compute(straggler_wait(context_.cluster.spec().gpu.power, program_.passes,
                               context_.grid.pass_ranks(), context_.grid.ranks()),
                Label::gradient_reduce);
  }

  std::uint32_t end_transfer(const TransferCost& cost, Stream stream, GroupKind slot, Label label,
                             std::uint32_t after) {
    Op op = transfer(stream, slot, label);
    op.cost = program_.add_transfer(cost);
    op.after[0] = last_pass_;
    op.after[1] = after;
    return program_.add(op);
  }

  StepContext context_;
  const Recipe& recipe_;
  int rank_;
  int stage_;
  bool last_stage_;
  StagePasses passes_;
  const std::vector<ChunkLayout>& chunks_;
  PipelineStage pipeline_;
  std::vector<ChunkBuckets> buckets_;
  StepEndCosts end_;

  Program program_;
  std::array<TransferCost, kInnerKinds.size()> inner_calls_{};
  std::vector<std::array<std::uint32_t, 4>> pass_costs_;
  std::array<std::uint32_t, 2> p2p_costs_{kNoOp, kNoOp};
  std::vector<std::vector<std::uint32_t>> gathered_;  ///< gather ops of each chunk
  std::vector<bool> reduced_;
  std::vector<int> finished_;  ///< by backward pass: the chunk that it finished, or -1
  int forwards_ = 0;
  int backwards_ = 0;
  std::uint32_t last_pass_ = kNoOp;
  std::uint32_t last_forward_ = kNoOp;
  std::uint32_t last_backward_ = kNoOp;
  std::vector<std::uint32_t> blocking_sends_;  ///< of the last pass or pair: the next one waits
  std::uint32_t last_data_ = kNoOp;
};

}  // namespace

Program stage_program(const StepContext& context, int rank) {
  return StageProgramBuilder(context, rank).build();
}

}  // namespace simtrain
