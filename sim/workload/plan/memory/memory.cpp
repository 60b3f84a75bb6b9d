#include "sim/workload/plan/memory/memory.h"

#include <algorithm>

#include "sim/workload/model/optimizer_state.h"
#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/memory/memory_parts.h"
#include "sim/workload/plan/memory/plan_memory.h"
#include "sim/workload/plan/memory/unit_memory.h"
#include "sim/workload/plan/offload/offloaded_layers.h"
#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {
namespace {

/// What is alive beyond `kept()` while a pass runs.
struct Live {
  double activations = 0;
  double loss = 0;
  double temporary = 0;

  [[nodiscard]] double sum() const { return activations + loss + temporary; }
};

/// Follows the passes of a stage in their order.
class PassWalk {
 public:
  PassWalk(const Recipe& recipe, const PassMemory& memory) : recipe_(recipe), memory_(memory) {}

  /// While the pass runs. In a head's pass the loss and a layer's backward follow each other, so
  /// that only the larger of them counts.
  Live run(const Task& action) {
    if (action.phase == Phase::weight_gradient) return free_inputs(action);
    const bool forward = action.forward();
    const bool cut = action.phase == Phase::input_gradient;
    const bool head = memory_.head(action.chunk);
    const double chunk = memory_.activations[static_cast<std::size_t>(action.chunk)];
    const double kept = cut ? inputs(action.chunk) : 0;
    const double larger = std::max(chunk, kept);
    activations_ += forward ? chunk : larger - chunk;
    const auto place = static_cast<std::size_t>(action.chunk);
    offloaded_ += forward ? memory_.offloaded[place] : -memory_.offloaded[place];
    most_offloaded_ = std::max(most_offloaded_, offloaded_);
    Live live{activations_ + memory_.in_flight[place], loss_, forward ? 0 : memory_.temporary};
    if (forward && head) {
      live.loss += memory_.loss_peak;
      loss_ += memory_.loss_saved;
    }
    if (forward) return live;
    activations_ -= larger - kept;
    if (!head) return live;
    loss_ -= memory_.loss_saved;
    const double deferred =
        cut || recipe_.defers_weight_gradient(action.micro_batch) ? memory_.deferred : 0;
    live.loss = loss_;
    loss_ += deferred;
    if (memory_.loss_peak > live.temporary + deferred) {
      live.temporary = 0;
      live.loss += memory_.loss_peak;
    } else {
      live.loss += deferred;
    }
    return live;
  }

  /// On the host so far, at most.
  [[nodiscard]] double most_offloaded() const { return most_offloaded_; }

 private:
  [[nodiscard]] double inputs(int chunk) const {
    return memory_.for_weight_gradients[static_cast<std::size_t>(chunk)];
  }

  /// After a weight gradient nothing of the micro-batch is left.
  Live free_inputs(const Task& action) {
    const Live live{activations_, loss_, 0};
    activations_ -= inputs(action.chunk);
    if (memory_.head(action.chunk)) loss_ -= memory_.deferred;
    return live;
  }

  const Recipe& recipe_;
  const PassMemory& memory_;
  double activations_ = 0;
  double loss_ = 0;
  double offloaded_ = 0;
  double most_offloaded_ = 0;
};

PassMemory pass_memory(const Recipe& recipe, const ModelTotals& totals,
                       const std::vector<ChunkLayout>& chunks) {
  PassMemory memory;
  memory.activations.reserve(chunks.size());
  memory.in_flight.reserve(chunks.size());
  memory.offloaded.reserve(chunks.size());
  memory.for_weight_gradients.reserve(chunks.size());
  for (const ChunkLayout& chunk : chunks) {
    double bytes = chunk.embedding ? totals.embedding().saved_bytes : 0;
    double inputs = 0;
    for (int number = 0; number < chunk.layers; ++number) {
      const PartTotals& layer = totals.layer(chunk.first_layer + number);
      bytes += layer.saved_bytes;
      inputs += layer.deferred_bytes;
      memory.temporary = std::max(memory.temporary, layer.backward_bytes + layer.dropped_bytes);
    }
    const ChunkOffload offload = chunk_offload(recipe, totals, chunk);
    memory.activations.push_back(bytes - offload.bytes);
    memory.in_flight.push_back(offload.in_flight);
    memory.offloaded.push_back(offload.bytes);
    memory.for_weight_gradients.push_back(inputs);
  }
  if (chunks.back().head) {
    memory.loss_peak = totals.head().forward_bytes;
    memory.loss_saved = totals.head().saved_bytes;
    memory.deferred = totals.head().deferred_bytes;
  }
  return memory;
}

void add_worst_moment(const Recipe& recipe, const ModelTotals& totals, const StageOrder& order,
                      StageMemory& stage_memory) {
  const PassMemory memory = pass_memory(recipe, totals, order.chunks);
  PassWalk walk(recipe, memory);
  Live worst;
  for (const Task& action : order.tasks) {
    const Live live = walk.run(action);
    if (live.sum() > worst.sum()) worst = live;
  }
  stage_memory.activations = worst.activations;
  stage_memory.loss = worst.loss;
  stage_memory.temporary = worst.temporary;
  stage_memory.host_activations = walk.most_offloaded();
}

/// The optimizer's share on the host has its gradients there, in FP32.
void move_to_host(const Recipe& recipe, const StateShard& shard, StageMemory& memory) {
  const double share = recipe.offload.optimizer_share();
  const double state = memory.optimizer * share;
  memory.optimizer -= state;
  memory.host_optimizer = state * (1 + kFp32.bytes() / optimizer_state(recipe).bytes());
  if (!recipe.offload.offload_param) return;
  const double parameter = recipe.precision().activation.bytes();
  const bool beside = sharding_of(recipe).units->keeps_weights;  // the FP32 ones of the optimizer
  memory.host_weights = parameter * (shard.frozen + (beside ? shard.trained : 0));
}

void add_kept(const Recipe& recipe, const ModelTotals& totals, const GpuSpec& gpu,
              const RankGrid& grid, const std::vector<ChunkLayout>& chunks, StageMemory& memory) {
  double parameters = 0;
  double low = 0;
  double gradients = 0;
  double frozen = 0;
  const ShardingRow& sharding = sharding_of(recipe);
  const double state = optimizer_state(recipe).bytes();
  for (const GroupKind kind : kGradientGroups) {
    double own = 0;
    double all = 0;
    for (const ChunkLayout& chunk : chunks) {
      own += static_cast<double>(trained_parameters(totals, chunk, kind));
      all += static_cast<double>(chunk_parameters(totals, chunk, kind));
      low += static_cast<double>(low_parameters(totals, chunk, kind).count);
    }
    parameters += all;
    frozen += (all - own) / grid.ranks_of(grid.sharded_over(kind));
    memory.optimizer +=
        own * state / (sharding.shards_optimizer ? grid.ranks_of(grid.sharded_over(kind)) : 1);
    gradients += own / (sharding.shards_gradients ? grid.ranks_of(grid.sharded_over(kind)) : 1);
  }
  if (sharding.units) {
    const HeldState held =
        held_units(recipe, totals, chunks, {gradients, frozen}, grid.micro_batches());
    memory.weights = held.weights;
    memory.gradients = held.gradients;
  } else {
    memory.fp8_copies = low * fp8_copy_bytes(recipe, gpu);
    memory.weights = low * layer_weight_format(recipe).bytes() +
                     (parameters - low) * recipe.precision().activation.bytes() + memory.fp8_copies;
    const double on_gpu = sharding.shards_gradients ? 1 - recipe.offload.optimizer_share() : 1;
    memory.gradients =
        gradients * on_gpu * static_cast<double>(bytes_of(recipe.optimizer.grad_reduce_dtype)) +
        placeholder_bytes(recipe, totals, chunks) +
        (sharding.shards_gradients ? reduced_at_once(recipe, totals, chunks) : 0);
  }
  memory.workspaces = static_cast<double>(gpu.gemm_workspaces.value.value());
  if (recipe.offload.optimizer_cpu_offload) move_to_host(recipe, {gradients, frozen}, memory);
}

void add_outside(const Recipe& recipe, const ModelTotals& totals, const RankGrid& grid,
                 int neighbours, StageMemory& memory) {
  const MemorySpec& spec = recipe.software.memory;
  const Communicators opened = communicators(recipe, grid, neighbours);
  memory.cuda_context = static_cast<double>(spec.cuda_context.value.value());
  memory.communicators =
      opened.pairs * static_cast<double>(spec.communicator_of_two.value.value()) +
      opened.larger * static_cast<double>(spec.communicator.value.value());
  memory.user_buffers = user_buffer_bytes(recipe, totals);
  memory.dispatcher_buffers = dispatcher_buffer_bytes(totals);
}

}  // namespace

Room room_of(const std::vector<StageMemory>& stages, double capacity) {
  Room least = Room::enough;
  for (const StageMemory& stage : stages) {
    if (stage.total() > capacity) return Room::none;
    if (stage.likely() > capacity) least = Room::tight;
  }
  return least;
}

PassMemory pass_memory(const Recipe& recipe, const ModelTotals& totals, int stage) {
  return pass_memory(recipe, totals, stage_chunks(recipe, stage));
}

PipelineShape memory_shape(const Recipe& recipe, int micro_batches) {
  const PipelineShape shape = pipeline_shape(recipe, micro_batches);
  // Each micro-batch leaves more weight gradients until the flush.
  return recipe.overlap.defer_embedding_wgrad_compute ? shape : with_every_moment(shape);
}

StageOrder stage_order(const Recipe& recipe, const PipelineShape& shape, int stage) {
  const PipelineStage pipeline(shape, stage);
  return {stage_chunks(recipe, stage), pipeline.tasks(), pipeline.neighbours()};
}

StageMemory memory_of_stage(const Recipe& recipe, const ModelTotals& totals, const GpuSpec& gpu,
                            const RankGrid& grid, const StageOrder& order) {
  StageMemory memory;
  add_kept(recipe, totals, gpu, grid, order.chunks, memory);
  add_worst_moment(recipe, totals, order, memory);
  add_outside(recipe, totals, grid, order.neighbours, memory);
  memory.fragmentation =
      (recipe.software.memory.reserved_per_allocated.value - 1) * memory.allocated();
  return memory;
}

std::vector<StageMemory> stage_memory(const Recipe& recipe, const GpuSpec& gpu,
                                      const RankGrid& grid) {
  const ModelTotals totals(recipe);
  const PipelineShape shape = memory_shape(recipe, grid.micro_batches());
  std::vector<StageMemory> stages;
  stages.reserve(static_cast<std::size_t>(recipe.pp()));
  for (int stage = 0; stage < recipe.pp(); ++stage)
    stages.push_back(memory_of_stage(recipe, totals, gpu, grid, stage_order(recipe, shape, stage)));
  return stages;
}

}  // namespace simtrain
