#include "sim/workload/stage_program.h"

#include <algorithm>
#include <cmath>

#include "sim/workload/data_parallel.h"
#include "sim/workload/schedule.h"
#include "sim/workload/stage_passes.h"

namespace simtrain {
namespace {

class StageProgramBuilder {
 public:
  StageProgramBuilder(const StepContext& context, int stage)
      : context_(context),
        recipe_(context.recipe),
        stage_(stage),
        last_stage_(stage == recipe_.pp() - 1),
        passes_(recipe_, context.pieces, stage),
        chunks_(passes_.chunks()),
        rank_(context.grid.rank({0, 0, 0, stage})) {
    const auto data_group = context.placement.gpus(context.grid.data_context_group(rank_));
    data_layout_ = layout_of(context.cluster, data_group);
    for (const ChunkLayout& chunk : chunks_) {
      buckets_.push_back(chunk_buckets(context, chunk, data_layout_));
      parameters_ += chunk_parameters(recipe_, chunk);
    }
    gathered_.resize(chunks_.size());
    reduced_.resize(chunks_.size(), false);
  }

  Program build() {
    zero_gradients();
    if (recipe_.overlap.overlap_param_gather) {
      for (std::size_t chunk = 0; chunk < std::min<std::size_t>(2, chunks_.size()); ++chunk)
        gather(chunk, kNoOp);
    }
    const ScheduleRequest request{recipe_.pp(), stage_, recipe_.vp(),
                                  context_.grid.micro_batches()};
    for (const StageAction& action : pipeline_schedule(request)) pass(action);
    flush();
    return std::move(program_);
  }

 private:
  [[nodiscard]] const ComputeCost& piece(Piece which) const {
    return context_.pieces[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] double streaming_seconds(double bytes) const {
    return to_seconds(context_.kernels.time(Streaming{StreamingKind::element_wise, bytes}).time);
  }

  // --- passes ---

  void pass(const StageAction& action) {
    const bool forward = action.direction == Direction::forward;
    const bool has_source =
        forward ? stage_ > 0 || action.chunk > 0 : !last_stage_ || !is_last_chunk(action.chunk);
    const bool has_goal =
        forward ? !last_stage_ || !is_last_chunk(action.chunk) : stage_ > 0 || action.chunk > 0;
    const std::uint32_t received = has_source && recipe_.pp() > 1 ? receive(action) : kNoOp;
    compute(action, received);
    if (has_goal && recipe_.pp() > 1) send(action);
    (forward ? forwards_ : backwards_) += 1;
    forward ? gather_ahead() : reduce_behind(action);
  }

  [[nodiscard]] bool is_last_chunk(int chunk) const {
    return chunk + 1 == static_cast<int>(chunks_.size());
  }

  /// Overlapped, a receive is posted as soon as the last pass of its direction has run; otherwise
  /// after whatever pass ran last.
  std::uint32_t receive(const StageAction& action) {
    const bool forward = action.direction == Direction::forward;
    Op op = transfer_op(action, forward ? Stream::receive_forward : Stream::receive_backward,
                        forward ? GroupSlot::from_previous : GroupSlot::from_next, Label::receive);
    op.cost = p2p_cost(forward ? -1 : 1);
    op.after[0] =
        recipe_.overlap.overlap_p2p_comm ? (forward ? last_forward_ : last_backward_) : last_pass_;
    return program_.add(op);
  }

  void send(const StageAction& action) {
    const bool forward = action.direction == Direction::forward;
    Op op = transfer_op(action, forward ? Stream::send_forward : Stream::send_backward,
                        forward ? GroupSlot::to_next : GroupSlot::to_previous, Label::send);
    op.cost = p2p_cost(forward ? 1 : -1);
    op.after[0] = last_pass_;
    const std::uint32_t sent = program_.add(op);
    if (!recipe_.overlap.overlap_p2p_comm) blocking_send_ = sent;
  }

  static Op transfer_op(const StageAction& action, Stream stream, GroupSlot slot, Label label) {
    Op op;
    op.compute = false;
    op.stream = stream;
    op.group = slot;
    op.label = label;
    op.chunk = static_cast<std::uint16_t>(action.chunk);
    op.micro_batch = static_cast<std::uint32_t>(action.micro_batch);
    return op;
  }

  /// Activations (or their gradient) of one micro-batch: under sequence parallelism each rank sends
  /// its own rows, otherwise all of them.
  std::uint32_t p2p_cost(int step) {
    auto& index = p2p_costs_[step > 0 ? 1 : 0];
    if (index == kNoOp) {
      const int split = recipe_.parallelism.sequence_parallel ? recipe_.tp() : 1;
      const std::int64_t bytes =
          recipe_.tokens() * recipe_.model.hidden_size * bytes_of(DataType::bf16) / split;
      const int neighbour = context_.grid.stage_neighbour(rank_, step);
      const Distance distance = context_.cluster.distance(context_.placement.gpu(rank_),
                                                          context_.placement.gpu(neighbour));
      index = program_.add_transfer(plan_send_receive(
          Bytes(bytes), distance, {context_.cluster.spec(), recipe_.software.nccl}));
    }
    return index;
  }

  void compute(const StageAction& action, std::uint32_t received) {
    const bool forward = action.direction == Direction::forward;
    const auto chunk = static_cast<std::size_t>(action.chunk);
    const bool gathers = forward && action.micro_batch == 0 && !gathered_[chunk].empty();
    const bool reduces = !forward && reduces_by_bucket() && is_last_micro_batch(action);
    Op op;
    op.group = GroupSlot::replica;
    op.label = forward ? Label::forward : Label::backward;
    op.chunk = static_cast<std::uint16_t>(action.chunk);
    op.micro_batch = static_cast<std::uint32_t>(action.micro_batch);
    op.after = {received, std::exchange(blocking_send_, kNoOp), kNoOp};
    if (!gathers && !reduces) {
      op.cost = pass_cost(action);
      emit_pass(op, forward);
      return;
    }
    std::size_t next_bucket = 0;
    for (const Segment& segment : passes_.segments(action)) {
      op.cost = program_.add_cost(segment.cost);
      if (gathers) op.after[2] = bucket_op(gathered_[chunk], segment.parameters_done);
      emit_pass(op, forward);
      op.after = {kNoOp, kNoOp, kNoOp};
      if (!reduces) continue;
      const ChunkBuckets& buckets = buckets_[chunk];
      while (next_bucket < buckets.filled_at.size() &&
             buckets.filled_at[next_bucket] <= segment.parameters_done + 1e-9) {
        data_op(buckets.reductions[next_bucket++], Label::gradient_reduce, last_pass_);
      }
    }
    if (reduces) reduced_[chunk] = true;
  }

  void emit_pass(const Op& op, bool forward) {
    last_pass_ = program_.add(op);
    (forward ? last_forward_ : last_backward_) = last_pass_;
  }

  [[nodiscard]] bool is_last_micro_batch(const StageAction& action) const {
    return action.micro_batch + 1 == context_.grid.micro_batches();
  }

  std::uint32_t pass_cost(const StageAction& action) {
    const std::size_t variant =
        (action.direction == Direction::forward ? 0U : 2U) + (passes_.differs(action) ? 1U : 0U);
    pass_costs_.resize(chunks_.size(), {kNoOp, kNoOp, kNoOp, kNoOp});
    std::uint32_t& index = pass_costs_[static_cast<std::size_t>(action.chunk)][variant];
    if (index == kNoOp) index = program_.add_cost(passes_.whole(action));
    return index;
  }

  // --- data parallel ---

  std::uint32_t data_op(const TransferCost& cost, Label label, std::uint32_t after) {
    Op op;
    op.compute = false;
    op.stream = Stream::data;
    op.group = GroupSlot::data;
    op.label = label;
    op.cost = program_.add_transfer(cost);
    op.after[0] = after;
    last_data_ = program_.add(op);
    return last_data_;
  }

  void gather(std::size_t chunk, std::uint32_t after) {
    for (const TransferCost& cost : buckets_[chunk].gathers) {
      gathered_[chunk].push_back(data_op(cost, Label::parameter_gather, after));
    }
  }

  [[nodiscard]] static std::uint32_t bucket_op(const std::vector<std::uint32_t>& ops,
                                               double parameters_done) {
    const auto count = static_cast<double>(ops.size());
    const auto bucket = static_cast<std::size_t>(
        std::clamp(std::ceil(parameters_done * count - 1e-9) - 1, 0.0, count - 1));
    return ops[bucket];
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
  void reduce_behind(const StageAction& action) {
    if (!recipe_.overlap.overlap_grad_reduce || recipe_.vp() == 1) return;
    finished_.push_back(is_last_micro_batch(action) ? action.chunk : -1);
    const int slot = backwards_ - 1 - stage_;
    if (slot >= 0 && finished_[static_cast<std::size_t>(slot)] >= 0) {
      reduce(static_cast<std::size_t>(finished_[static_cast<std::size_t>(slot)]));
    }
  }

  void reduce(std::size_t chunk) {
    if (reduced_[chunk]) return;
    for (const TransferCost& cost : buckets_[chunk].reductions)
      data_op(cost, Label::gradient_reduce, last_pass_);
    reduced_[chunk] = true;
  }

  // --- before and after ---

  std::uint32_t own_compute(double seconds, Share share, Label label, bool memory_bound,
                            std::uint32_t after) {
    ComputeCost cost;
    cost.time = to_duration(seconds);
    cost.memory_bound = memory_bound ? 1 : 0;
    part(cost.parts, share) = to_seconds(cost.time);
    Op op;
    op.label = label;
    op.cost = program_.add_cost(cost);
    op.after[0] = after;
    last_pass_ = program_.add(op);
    return last_pass_;
  }

  void zero_gradients() {
    const double bytes =
        static_cast<double>(parameters_ * bytes_of(recipe_.optimizer.grad_reduce_dtype));
    own_compute(streaming_seconds(bytes), Share::optimizer, Label::optimizer, true, kNoOp);
  }

  void flush() {
    deferred_weight_gradients();
    for (std::size_t chunk = chunks_.size(); chunk-- > 0;) reduce(chunk);
    std::uint32_t ready = last_data_;
    if (recipe_.tp() > 1 && recipe_.parallelism.sequence_parallel) ready = norm_gradients(ready);
    gradient_norm(ready);
    optimizer();
    if (recipe_.optimizer.distributed && !recipe_.overlap.overlap_param_gather) {
      for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) gather(chunk, last_pass_);
    }
  }

  void deferred_weight_gradients() {
    if (!last_stage_ || !recipe_.overlap.defer_embedding_wgrad_compute) return;
    const int kept = recipe_.deferred_weight_gradients(context_.grid.micro_batches());
    ComputeCost cost;
    append(cost, piece(Piece::head_weight_gradient), kept);
    Op op;
    op.group = GroupSlot::replica;
    op.label = Label::weight_gradient;
    op.cost = program_.add_cost(cost);
    last_pass_ = program_.add(op);
  }

  /// Norm weights see only their rank's rows under sequence parallelism: their gradients are summed
  /// over the tensor-parallel group.
  std::uint32_t norm_gradients(std::uint32_t after) {
    std::int64_t parameters = 0;
    for (const ChunkLayout& chunk : chunks_)
      parameters += chunk.layers * recipe_.model.layer_norm_parameters();
    const GroupLayout layout =
        layout_of(context_.cluster, context_.placement.gpus(context_.grid.tensor_group(rank_)));
    Op op;
    op.compute = false;
    op.stream = Stream::tensor;
    op.group = GroupSlot::tensor;
    op.label = Label::gradient_reduce;
    op.cost =
        program_.add_transfer(plan_collective({Collective::all_reduce,
                                               Bytes(std::max<std::int64_t>(1, parameters) *
                                                     bytes_of(recipe_.optimizer.grad_reduce_dtype)),
                                               layout},
                                              {context_.cluster.spec(), recipe_.software.nccl}));
    op.after = {last_pass_, after, kNoOp};
    return program_.add(op);
  }

  [[nodiscard]] double shard_parameters() const {
    return static_cast<double>(parameters_) /
           (recipe_.optimizer.distributed ? data_layout_.ranks : 1);
  }

  /// Norm of this rank's shard, one scalar all-reduced over all ranks, and the host waiting for it.
  void gradient_norm(std::uint32_t after) {
    const double bytes =
        shard_parameters() * static_cast<double>(bytes_of(recipe_.optimizer.grad_reduce_dtype));
    own_compute(streaming_seconds(bytes), Share::optimizer, Label::gradient_norm, true, after);
    if (context_.grid.ranks() > 1) {
      std::vector<int> everyone(static_cast<std::size_t>(context_.grid.ranks()));
      for (std::size_t rank = 0; rank < everyone.size(); ++rank)
        everyone[rank] = context_.placement.gpu(static_cast<int>(rank));
      Op op;
      op.compute = false;
      op.stream = Stream::data;
      op.group = GroupSlot::model;
      op.label = Label::gradient_norm;
      op.cost = program_.add_transfer(
          plan_collective({Collective::all_reduce, Bytes(bytes_of(DataType::fp32)),
                           layout_of(context_.cluster, everyone)},
                          {context_.cluster.spec(), recipe_.software.nccl}));
      op.after[0] = last_pass_;
      after = program_.add(op);
    }
    // The host reads the norm before it launches the optimizer: 50 to 200 us in profiles.
    constexpr double kHostSynchronization = 100e-6;
    own_compute(kHostSynchronization, Share::host, Label::gradient_norm, false, after);
  }

  /// Clip (8 bytes a parameter), Adam in FP32 (28) and the copy to the parameters (6), on the
  /// shard.
  void optimizer() {
    constexpr double kBytesPerParameter = 8 + 28 + 6;
    own_compute(streaming_seconds(kBytesPerParameter * shard_parameters()), Share::optimizer,
                Label::optimizer, true, kNoOp);
  }

  StepContext context_;
  const Recipe& recipe_;
  int stage_;
  bool last_stage_;
  StagePasses passes_;
  const std::vector<ChunkLayout>& chunks_;
  int rank_;
  GroupLayout data_layout_;
  std::vector<ChunkBuckets> buckets_;
  std::int64_t parameters_ = 0;

  Program program_;
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
  std::uint32_t blocking_send_ = kNoOp;
  std::uint32_t last_data_ = kNoOp;
};

}  // namespace

Program stage_program(const StepContext& context, int stage) {
  return StageProgramBuilder(context, stage).build();
}

}  // namespace simtrain
