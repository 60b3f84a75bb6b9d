#include "sim/workload/plan/program/stage_program.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>

#include "sim/core/invariant.h"
#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/data/buckets.h"
#include "sim/workload/plan/data/data_flow.h"
#include "sim/workload/plan/offload/activation_offload.h"
#include "sim/workload/plan/offload/optimizer_offload.h"
#include "sim/workload/plan/program/step_end.h"
#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/plan/stragglers.h"
#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

/// A stretch of a pass with its place among the program's costs.
struct StretchCost {
  Segment segment;
  std::uint32_t cost = 0;
};

/// One side of the messages of one way.
struct MessageSide {
  Stream stream{};
  GroupKind group{};
};

/// By way: activations and gradients, then those of chunks on their way back through the stages.
constexpr std::array kSends{MessageSide{Stream::send_forward, GroupKind::to_next},
                            MessageSide{Stream::send_backward, GroupKind::to_previous},
                            MessageSide{Stream::send_forward_back, GroupKind::back_to_previous},
                            MessageSide{Stream::send_backward_back, GroupKind::back_to_next}};
constexpr std::array kReceives{
    MessageSide{Stream::receive_forward, GroupKind::from_previous},
    MessageSide{Stream::receive_backward, GroupKind::from_next},
    MessageSide{Stream::receive_forward_back, GroupKind::back_from_next},
    MessageSide{Stream::receive_backward_back, GroupKind::back_from_previous}};

/// Passes of a chunk that may cost differently: two of each phase.
constexpr std::size_t kVariants = 8;

/// Whether the ranks of some group are not what the first TP x CP block of it has: they may come to
/// it at different times.
bool unlike_blocks_meet(const StepContext& context, GroupKind group) {
  const int block = context.grid.ranks_of(GroupKind::replica);
  if (context.grid.ranks_of(group) <= block) return false;
  for (int rank = 0; rank < context.grid.ranks(); ++rank) {
    const int like = context.classes.step_like[static_cast<std::size_t>(rank)];
    if (like >= context.grid.first_of(group, rank) + block) return true;
  }
  return false;
}

bool shares_amax(std::span<const Stretch> stretches) {
  return std::any_of(stretches.begin(), stretches.end(), [](const Stretch& stretch) {
    return std::any_of(stretch.pieces.begin(), stretch.pieces.end(),
                       [](const Piece& piece) { return piece.part == Part::amax; });
  });
}

class StageProgramBuilder {
 public:
  StageProgramBuilder(const StepContext& context, int rank)
      : context_(context),
        recipe_(context.recipe),
        rank_(rank),
        stage_(context.grid.coordinates(rank).pp),
        passes_(context, context.pieces_of(rank), stage_),
        chunks_(passes_.chunks()),
        pipeline_(pipeline_shape(recipe_, context.grid.micro_batches()), stage_),
        amax_meets_(unlike_blocks_meet(context, GroupKind::amax)),
        overlaps_(overlaps_messages(recipe_)),
        optimizer_offload_(context, step_) {
    const GradientGroups groups = gradient_groups(context, rank_);
    end_ = step_end_costs(context, rank_, chunks_, groups, context.classes.world);
    data_ = data_flow(context, rank_, groups, passes_, step_);
    if (recipe_.offload.activations()) offload_.emplace(context, chunks_, pipeline_.tasks(), step_);
  }

  Program build() {
    const std::vector<Task> tasks = pipeline_.tasks();
    step_.program.ops.reserve(4 * tasks.size());  // a pass, its messages and what goes with it
    step_.add_compute(end_.zero_gradients, Label::optimizer, kNoOp);
    data_->begin();
    add_passes(tasks);
    flush();
    count_as_one_call();
    return std::move(step_.program);
  }

 private:
  // --- passes ---

  /// Tasks that exchange their messages in one call run as one: it sends what they made and
  /// receives what the next ones need. Overlapped, each has messages of its own but for pairs.
  void add_passes(const std::vector<Task>& tasks) {
    for (const std::span<const Task> call : calls_of(tasks, overlaps_)) exchange(call);
  }

  void exchange(std::span<const Task> tasks) {
    received_.clear();
    for (const Task& task : tasks)
      received_.push_back(has_source(task) ? receive(task, posted(task)) : kNoOp);
    if (tasks.front().paired && received_.back() != kNoOp)
      step_.add_compute({}, Label::receive, received_.back());
    for (std::size_t i = 0; i < tasks.size(); ++i) compute(tasks[i], received_[i]);
    for (const Task& task : tasks) {
      if (has_goal(task)) send(task);
      data_->after_pass(task);
      optimizer_offload_.copy_reduced_gradients();
    }
  }

  /// Overlapped, a receive is posted as soon as the last pass of its direction has run; otherwise
  /// after whatever pass ran last.
  [[nodiscard]] std::uint32_t posted(const Task& task) const {
    if (!overlaps_) return step_.last_compute;
    return task.forward() ? last_forward_ : last_backward_;
  }

  [[nodiscard]] bool has_source(const Task& task) const { return pipeline_.source(task) != 0; }
  [[nodiscard]] bool has_goal(const Task& task) const { return pipeline_.goal(task) != 0; }

  std::uint32_t receive(const Task& action, std::uint32_t posted) {
    const int step = pipeline_.source(action);
    Op op = message(action, kReceives[way(action, -step)], Label::receive);
    op.cost = p2p_cost(step);
    op.after[0] = posted;
    return step_.program.add(op);
  }

  void send(const Task& action) {
    const int step = pipeline_.goal(action);
    Op op = message(action, kSends[way(action, step)], Label::send);
    op.cost = p2p_cost(step);
    op.after[0] = step_.last_compute;
    const std::uint32_t sent = step_.program.add(op);
    if (!overlaps_) blocking_sends_.push_back(sent);
  }

  /// Which of the ways of messages one that goes `step` on takes.
  static std::size_t way(const Task& action, int step) {
    const bool back = action.forward() ? step < 0 : step > 0;
    return (back ? 2U : 0U) + (action.forward() ? 0U : 1U);
  }

  static Op message(const Task& action, const MessageSide& side, Label label) {
    Op op = StepProgram::transfer(side.stream, side.group, label);
    op.chunk = static_cast<std::uint16_t>(action.chunk);
    op.micro_batch = static_cast<std::uint32_t>(action.micro_batch);
    return op;
  }

  std::uint32_t p2p_cost(int step) {
    auto& index = p2p_costs_[step > 0 ? 1 : 0];
    if (index == kNoOp) index = step_.program.add_transfer(stage_message(context_, rank_, step));
    return index;
  }

  void compute(const Task& action, std::uint32_t received) {
    Op op;
    op.group = GroupKind::replica;
    op.label = label_of(action.phase);
    op.chunk = static_cast<std::uint16_t>(action.chunk);
    op.beside = static_cast<std::int16_t>(action.beside);
    op.micro_batch = static_cast<std::uint32_t>(action.micro_batch);
    op.after[0] = received;
    invariant(blocking_sends_.size() <= 2, "a pass follows at most two sends");
    std::copy(blocking_sends_.begin(), blocking_sends_.end(), op.after.begin() + 1);
    blocking_sends_.clear();
    if (data_->cuts(action) || offloads(action)) {
      compute_by_stretch(action, op);
      return;
    }
    op.after[3] = data_->before(action, 0, 0);
    op.cost = pass_cost(action);
    emit_pass(op, amax_meets_ && shares_amax(passes_.stretches(action)));
  }

  [[nodiscard]] bool offloads(const Task& action) const {
    return offload_ && offload_->cuts(action);
  }

  void compute_by_stretch(const Task& action, Op op) {
    const bool cut = data_->cuts(action);
    const std::vector<StretchCost>& stretches = stretch_costs(action);
    const std::vector<Stretch> held =
        amax_meets_ ? passes_.stretches(action) : std::vector<Stretch>();
    for (std::size_t stretch = 0; stretch < stretches.size(); ++stretch) {
      const Segment& segment = stretches[stretch].segment;
      op.cost = stretches[stretch].cost;
      if (offloads(action)) offload_->before(action, stretch);
      if (cut || stretch == 0)
        op.after[3] = data_->before(action, cut ? segment.parameters_done : 0, stretch);
      emit_pass(op, !held.empty() && shares_amax(std::span(held).subspan(stretch, 1)));
      op.after.fill(kNoOp);
      if (cut) data_->after(action, segment.parameters_done, stretch);
      if (offloads(action)) offload_->after(action, stretch);
      optimizer_offload_.copy_reduced_gradients();
    }
  }

  /// A pass, or a stretch of one, in which blocks that are not alike may meet for their amax.
  void emit_pass(const Op& op, bool meets) {
    if (meets && op.label == Label::forward) meet(op, op.after);
    step_.last_compute = step_.program.add(op);
    if (meets && op.label != Label::forward) meet(op, {kNoOp, kNoOp, kNoOp, kNoOp});
    if (op.label == Label::cut_weight_gradient) return;
    (op.label == Label::forward ? last_forward_ : last_backward_) = step_.last_compute;
  }

  /// Blocks that share their amax wait for each other where these are reduced: before the layers of
  /// a forward, behind those of a backward. How long the reduction takes is in the pass.
  void meet(Op op, const std::array<std::uint32_t, 4>& after) {
    op.group = GroupKind::amax;
    op.label = Label::collective;
    op.cost = step_.program.add_cost({});
    op.after = after;
    step_.last_compute = step_.program.add(op);
  }

  /// Passes of one phase, chunk and kind (differs()) cost the same, beside the same chunk.
  [[nodiscard]] std::size_t variant(const Task& action) const {
    const std::size_t place = static_cast<std::size_t>(action.chunk) +
                              chunks_.size() * static_cast<std::size_t>(action.beside + 1);
    return kVariants * place + 2 * static_cast<std::size_t>(action.phase) +
           (passes_.differs(action) ? 1U : 0U);
  }

  [[nodiscard]] std::size_t variants() const {
    return kVariants * chunks_.size() * (1 + chunks_.size());
  }

  const std::vector<StretchCost>& stretch_costs(const Task& action) {
    stretch_costs_.resize(variants());
    std::vector<StretchCost>& costs = stretch_costs_[variant(action)];
    if (costs.empty()) {
      const std::vector<Segment> segments = passes_.segments(action);
      costs.reserve(segments.size());
      for (const Segment& segment : segments)
        costs.push_back({segment, add_pass_cost(segment.cost)});
    }
    return costs;
  }

  std::uint32_t pass_cost(const Task& action) {
    pass_costs_.resize(variants(), kNoOp);
    std::uint32_t& index = pass_costs_[variant(action)];
    if (index == kNoOp) index = add_pass_cost(passes_.whole(action));
    return index;
  }

  std::uint32_t add_pass_cost(const PieceCost& cost) {
    ComputeCost pass = cost;
    const bool moves =
        std::any_of(cost.inner.begin(), cost.inner.end(),
                    [](const InnerTraffic& traffic) { return traffic.moving_s > 0; });
    if (moves) {
      pass.traffic = static_cast<std::uint32_t>(step_.program.inner.size());
      step_.program.inner.push_back(cost.inner);
    }
    return step_.program.add_cost(pass);
  }

  /// The traffic of all passes is counted as that of one call on each kind of group: of the one by
  /// which most moves.
  void count_as_one_call() {
    std::vector<PassTraffic>& passes = step_.program.inner;
    for (std::size_t kind = 0; kind < kInnerKinds && !passes.empty(); ++kind) {
      const auto most = std::max_element(passes.begin(), passes.end(),
                                         [kind](const PassTraffic& one, const PassTraffic& other) {
                                           return one[kind].moving_s < other[kind].moving_s;
                                         });
      const TransferCost call = (*most)[kind].call;
      for (PassTraffic& pass : passes) {
        InnerTraffic counted{.call = call};
        counted.add(pass[kind], 1);
        pass[kind] = counted;
      }
    }
  }

  // --- after the passes ---

  [[nodiscard]] bool holds_head() const { return chunks_.back().head; }

  void flush() {
    deferred_weight_gradients();
    wait_for_stragglers();
    std::uint32_t ready = data_->flush();
    optimizer_offload_.copy_reduced_gradients();
    if (recipe_.holds_table_twice() && !recipe_.lora && (stage_ == 0 || holds_head()))
      ready = add_table_gradients(ready);
    if (recipe_.reduces_norm_gradients()) {
      ready = end_transfer(end_.norm_gradients, Stream::tensor, GroupKind::tensor,
                           Label::gradient_reduce, ready);
    }
    step_.add_compute(end_.gradient_norm, Label::gradient_norm, ready);
    ready = kNoOp;
    if (context_.grid.ranks() > 1) {
      ready = end_transfer(end_.norm_reduction, Stream::data, GroupKind::world,
                           Label::gradient_norm, kNoOp);
    }
    const std::uint32_t normed = step_.add_compute(end_.host_wait, Label::gradient_norm, ready);
    step_.add_compute(end_.optimizer, Label::optimizer, kNoOp);
    if (optimizer_offload_.on())
      optimizer_offload_.update(end_.updated_parameters, std::max(1, layers()), normed);
    data_->after_optimizer();
  }

  [[nodiscard]] int layers() const {
    return std::accumulate(chunks_.begin(), chunks_.end(), 0,
                           [](int sum, const ChunkLayout& chunk) { return sum + chunk.layers; });
  }

  /// The first and the last stage add up their gradients of the table of word embeddings.
  std::uint32_t add_table_gradients(std::uint32_t reduced) {
    const int step = holds_head() ? 1 : -1;
    const TransferCost cost = table_message(context_, rank_, step);
    end_transfer(cost, Stream::send_forward, step > 0 ? GroupKind::to_next : GroupKind::to_previous,
                 Label::send, reduced);
    return end_transfer(cost, Stream::receive_forward,
                        step > 0 ? GroupKind::from_next : GroupKind::from_previous, Label::receive,
                        reduced);
  }

  void deferred_weight_gradients() {
    if (!holds_head() || !recipe_.overlap.defer_embedding_wgrad_compute) return;
    const int kept = recipe_.deferred_weight_gradients(context_.grid.micro_batches());
    PieceCost cost;
    append(cost, passes_.piece({Part::head, Phase::weight_gradient}), kept);
    Op op;
    op.group = GroupKind::replica;
    op.label = Label::weight_gradient;
    op.cost = add_pass_cost(cost);
    step_.last_compute = step_.program.add(op);
  }

  /// At the end of a step all ranks meet for the gradients.
  void wait_for_stragglers() {
    step_.program.passes = passes_of(step_.program);
    step_.add_compute(
        straggler_wait(context_.cluster.spec().gpu.power, step_.program.passes,
                       ranks_met_in_passes(recipe_, context_.grid), context_.grid.ranks()),
        Label::gradient_reduce, kNoOp);
  }

  std::uint32_t end_transfer(const TransferCost& cost, Stream stream, GroupKind slot, Label label,
                             std::uint32_t after) {
    Op op = StepProgram::transfer(stream, slot, label);
    op.cost = step_.program.add_transfer(cost);
    op.after[0] = step_.last_compute;
    op.after[1] = after;
    return step_.program.add(op);
  }

  StepContext context_;
  const Recipe& recipe_;
  int rank_;
  int stage_;
  StagePasses passes_;
  const std::vector<ChunkLayout>& chunks_;
  PipelineStage pipeline_;
  bool amax_meets_;  ///< blocks that are not alike, in each pass
  bool overlaps_;    ///< messages, beside passes
  StepEndCosts end_;

  StepProgram step_;
  OptimizerOffload optimizer_offload_;
  std::unique_ptr<DataFlow> data_;
  std::optional<ActivationOffload> offload_;
  std::vector<std::uint32_t> pass_costs_;  ///< by variant()
  std::vector<std::vector<StretchCost>> stretch_costs_;
  std::array<std::uint32_t, 2> p2p_costs_{kNoOp, kNoOp};
  std::uint32_t last_forward_ = kNoOp;
  std::uint32_t last_backward_ = kNoOp;
  std::vector<std::uint32_t> received_;        ///< by task of one call
  std::vector<std::uint32_t> blocking_sends_;  ///< of the last pass or pair: the next one waits
};

}  // namespace

Program stage_program(const StepContext& context, int rank) {
  return StageProgramBuilder(context, rank).build();
}

}  // namespace simtrain
