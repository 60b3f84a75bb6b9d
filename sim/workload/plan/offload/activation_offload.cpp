#include "sim/workload/plan/offload/activation_offload.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sim/workload/plan/data/host_copy.h"

namespace simtrain {

ActivationOffload::ActivationOffload(const StepContext& context,
                                     const std::vector<ChunkLayout>& chunks,
                                     std::vector<Task> tasks, StepProgram& step)
    : step_(step), tasks_(std::move(tasks)) {
  for (const ChunkLayout& layout : chunks) {
    Chunk chunk{layout, offloaded_layers(context.recipe, context.totals, layout), {}, {}};
    for (const OffloadedLayer& layer : chunk.layers) {
      const NodeSpec& node = context.cluster.spec().node;
      chunk.out_costs.push_back(step_.program.add_transfer(copy_to_host(node, layer.bytes)));
      chunk.back_costs.push_back(step_.program.add_transfer(copy_from_host(node, layer.bytes)));
    }
    chunks_.push_back(std::move(chunk));
  }
}

bool ActivationOffload::cuts(const Task& task) const {
  return task.phase != Phase::weight_gradient && !chunk_of(task).layers.empty();
}

/// The layer of a stretch, counted in the chunk; outside of its layers for embedding and head.
int ActivationOffload::layer_at(const Chunk& chunk, const Task& task, std::size_t stretch) {
  const int embedding = chunk.layout.embedding ? 1 : 0;
  const int stretches = embedding + chunk.layout.layers + (chunk.layout.head ? 1 : 0);
  const int place =
      task.forward() ? static_cast<int>(stretch) : stretches - 1 - static_cast<int>(stretch);
  return place - embedding;
}

void ActivationOffload::copy_out(const Task& task, std::size_t number) {
  copies_of(task).out.push_back(step_.add_transfer(Stream::to_host, GroupKind::to_host,
                                                   chunk_of(task).out_costs[number], Label::offload,
                                                   step_.last_compute));
}

void ActivationOffload::copy_back(const Task& task, std::size_t number) {
  Copies& copies = copies_of(task);
  Op op = StepProgram::transfer(Stream::from_host, GroupKind::from_host, Label::offload);
  op.cost = chunk_of(task).back_costs[number];
  op.after[0] = step_.last_compute;
  op.after[1] = copies.out[number];
  copies.back.resize(chunk_of(task).layers.size(), kNoOp);
  copies.back[number] = step_.program.add(op);
}

void ActivationOffload::wait_for(std::uint32_t copy) {
  if (wait_cost_ == kNoOp) wait_cost_ = step_.program.add_cost({});
  step_.repeat_compute(wait_cost_, Label::offload, copy);
}

/// Copies back run one after the other, from the last layer on.
void ActivationOffload::wait_for_back(const Task& task, std::size_t number) {
  Copies& copies = copies_of(task);
  if (copies.awaited != kNoOp && copies.awaited >= copies.back[number]) return;
  copies.awaited = copies.back[number];
  wait_for(copies.awaited);
}

void ActivationOffload::after(const Task& task, std::size_t stretch) {
  if (!task.forward()) return;
  const Chunk& chunk = chunk_of(task);
  const int layer = layer_at(chunk, task, stretch);
  const std::size_t started = copies_of(task).out.size();
  if (started == chunk.layers.size() && started > 0 && chunk.layers.back().until == layer)
    return wait_for(copies_of(task).out.back());
  if (started == chunk.layers.size()) return;
  if (started == 0) {
    if (chunk.layers.front().layer == layer) copy_out(task, 0);
    return;
  }
  if (chunk.layers[started - 1].until != layer) return;
  wait_for(copies_of(task).out.back());
  copy_out(task, started);
}

void ActivationOffload::before(const Task& task, std::size_t stretch) {
  if (task.forward()) return;
  const Chunk& chunk = chunk_of(task);
  const int layer = layer_at(chunk, task, stretch);
  const std::size_t count = chunk.layers.size();
  Copies& copies = copies_of(task);
  copies.back.resize(count, kNoOp);
  for (std::size_t number = count; number-- > 0;) {
    const OffloadedLayer& one = chunk.layers[number];
    const bool begins = one.until == layer || (one.until >= chunk.layout.layers && stretch == 0);
    if (!begins || copies.back[number] != kNoOp) continue;
    if (number + 1 < count) wait_for_back(task, number + 1);
    copy_back(task, number);
  }
  const auto own = std::find_if(chunk.layers.begin(), chunk.layers.end(),
                                [&](const OffloadedLayer& one) { return one.layer == layer; });
  if (own != chunk.layers.end())
    wait_for_back(task, static_cast<std::size_t>(own - chunk.layers.begin()));
  if (layer == 0) copy_back_ahead(task);
}

/// Where a chunk's last layer comes back too, that of the next backward does while the first layer
/// of this one runs (Megatron's pre_reload_last_layer), if its forward has been issued.
void ActivationOffload::copy_back_ahead(const Task& task) {
  const auto is_own = [&](const Task& one) {
    return one.phase == task.phase && one.chunk == task.chunk &&
           one.micro_batch == task.micro_batch;
  };
  while (!is_own(tasks_[place_])) ++place_;
  const auto own = tasks_.begin() + static_cast<std::ptrdiff_t>(place_);
  const auto next =
      std::find_if(own + 1, tasks_.end(), [&](const Task& one) { return one.sends_gradient(); });
  if (next == tasks_.end()) return;
  const Chunk& chunk = chunk_of(*next);
  if (chunk.layers.empty() || chunk.layers.back().until < chunk.layout.layers) return;
  if (copies_of(*next).out.size() == chunk.layers.size()) copy_back(*next, chunk.layers.size() - 1);
}

}  // namespace simtrain
