#include "sim/workload/memory.h"

#include <algorithm>
#include <set>

#include "sim/workload/schedule.h"
#include "sim/workload/stage_layout.h"

namespace simtrain {
namespace {

/// CUDA context (0.5 GB) and NCCL's buffers of the communicators of a 4- or 5-dimensional job (1
/// GB).
constexpr double kOutsideAllocator = 1.5e9;

double bytes_per_weight(const Recipe& recipe, const GpuSpec& gpu) {
  if (!recipe.fp8()) return 2;
  const double copies = gpu.architecture == Architecture::hopper ? 2 : 1;  // with the turned copy
  return recipe.training.fp8_params ? copies : 2 + copies;
}

/// Saved for the backward of one layer and micro-batch on one rank.
double layer_activations(const Recipe& recipe) {
  const ModelSpec& model = recipe.model;
  const double tp = recipe.tp();
  const double rows = static_cast<double>(recipe.tokens());
  const double hidden_rows = rows / (recipe.parallelism.sequence_parallel ? tp : 1);
  const auto hidden = static_cast<double>(model.hidden_size);
  if (recipe.recompute == Recompute::full) return 2 * hidden * hidden_rows;
  const auto ffn = static_cast<double>(model.ffn_hidden_size);
  const bool gated = model.activation == Activation::swiglu;
  const double outputs = gated ? 4 * ffn : 2 * ffn;    // of FC1
  const double inputs = recipe.fp8() ? ffn : 2 * ffn;  // of FC2
  const double attention = 4.0 * static_cast<double>(model.query_size() + model.key_value_size()) +
                           4.0 * model.num_attention_heads;
  return (recipe.fp8() ? 6 : 8) * hidden * hidden_rows + (attention + outputs + inputs) * rows / tp;
}

/// At the worst moment of the loss: the BF16 logits and what stands beside them. Transformer
/// Engine's kernel writes the gradient over the logits; the unfused loss works in place on an FP32
/// copy; the jit-fused one holds that copy, its exponentials and the softmax, 4 bytes each.
double bytes_per_logit(CrossEntropy loss) {
  switch (loss) {
    case CrossEntropy::fused:
      return 2;
    case CrossEntropy::unfused:
      return 2 + 4;
    case CrossEntropy::jit:
      return 2 + 3 * 4;
  }
  return 0;
}

/// What the final norm saves, the gathered hidden states, logits and loss, of one micro-batch.
double loss_memory(const Recipe& recipe) {
  const auto rows = static_cast<double>(recipe.tokens());
  const double logits = rows * static_cast<double>(recipe.model.vocab_size) / recipe.tp();
  const double hidden = 2 * rows * static_cast<double>(recipe.model.hidden_size);
  const double norm = 2 * hidden / (recipe.parallelism.sequence_parallel ? recipe.tp() : 1);
  return norm + hidden + bytes_per_logit(recipe.software.cross_entropy.value) * logits;
}

/// What the head's deferred weight gradients keep: their input as this rank's rows (it is gathered
/// when they run) and the gradients of the logits.
double deferred_memory(const Recipe& recipe, int micro_batches) {
  const auto rows = static_cast<double>(recipe.tokens());
  const double logits = 2 * rows * static_cast<double>(recipe.model.vocab_size) / recipe.tp();
  const double hidden = 2 * rows * static_cast<double>(recipe.model.hidden_size) /
                        (recipe.parallelism.sequence_parallel ? recipe.tp() : 1);
  return recipe.deferred_weight_gradients(micro_batches) * (hidden + logits);
}

/// One BF16 tensor for each shape of weights on a rank.
double placeholders(const Recipe& recipe, bool head) {
  const auto& wanted = recipe.software.weight_gradient_placeholders;
  if (!wanted || !wanted->value) return 0;
  const ModelSpec& model = recipe.model;
  const std::int64_t tp = recipe.tp();
  std::set<std::pair<std::int64_t, std::int64_t>> shapes{
      {(model.query_size() + 2 * model.key_value_size()) / tp, model.hidden_size},
      {model.hidden_size, model.query_size() / tp},
      {model.fc1_size() / tp, model.hidden_size},
      {model.hidden_size, model.ffn_hidden_size / tp}};
  if (head) shapes.emplace(model.vocab_size / tp, model.hidden_size);
  double bytes = 0;
  for (const auto& [rows, columns] : shapes)
    bytes += 2 * static_cast<double>(rows) * static_cast<double>(columns);
  return bytes;
}

/// FC1's backward: gradients of both sides of the activation and the gathered rows.
double working_set(const Recipe& recipe) {
  const ModelSpec& model = recipe.model;
  const double branches =
      static_cast<double>(model.fc1_size() + model.ffn_hidden_size) / recipe.tp();
  return 2 * static_cast<double>(recipe.tokens()) *
         (2 * static_cast<double>(model.hidden_size) + branches);
}

/// The loss and a layer's backward follow each other, so that only the larger of them counts.
void add_worst_moment(const Recipe& recipe, bool head, int micro_batches, StageMemory& memory) {
  const double loss = head ? loss_memory(recipe) : 0;
  const double layer = working_set(recipe);
  if (head) memory.loss = deferred_memory(recipe, micro_batches);
  if (loss > layer) {
    memory.loss += loss;
  } else {
    memory.temporary = layer;
  }
}

}  // namespace

std::vector<StageMemory> stage_memory(const Recipe& recipe, const GpuSpec& gpu,
                                      const RankGrid& grid) {
  const double shard = recipe.optimizer.distributed ? grid.dp() * recipe.cp() : 1;
  const double state = recipe.software.distributed_optimizer.value == OptimizerKind::apex ? 10 : 12;
  std::vector<StageMemory> stages;
  for (int stage = 0; stage < recipe.pp(); ++stage) {
    const ScheduleRequest schedule{recipe.pp(), stage, recipe.vp(), grid.micro_batches()};
    const double in_flight =
        std::min(warm_up_passes(schedule) + 1, grid.micro_batches() * recipe.vp());
    double parameters = 0;
    double layers = 0;
    bool head = false;
    StageMemory memory;
    for (const ChunkLayout& chunk : stage_chunks(recipe, stage)) {
      parameters += static_cast<double>(chunk_parameters(recipe, chunk));
      layers += chunk.layers;
      head = head || chunk.head;
    }
    memory.weights = parameters * bytes_per_weight(recipe, gpu);
    memory.gradients =
        parameters * static_cast<double>(bytes_of(recipe.optimizer.grad_reduce_dtype)) +
        placeholders(recipe, head);
    memory.optimizer = parameters * state / shard;
    memory.activations = in_flight * layers / recipe.vp() * layer_activations(recipe);
    add_worst_moment(recipe, head, grid.micro_batches(), memory);
    memory.outside = kOutsideAllocator;
    if (recipe.overlap.tp_comm_overlap)
      memory.outside += 4 * 2.0 * static_cast<double>(recipe.tokens() * recipe.model.hidden_size);
    stages.push_back(memory);
  }
  return stages;
}

}  // namespace simtrain
