#pragma once

#include <vector>

#include "sim/workload/plan/program/stage_program.h"
#include "tests/workload/setup.h"

namespace simtrain::testing {

// Llama 3.1 8B with four of its layers: six units.
inline constexpr std::int64_t kLayers = 4;

inline constexpr std::int64_t kLayer =
    4096 * (4096 + 2 * 1024) + 4096 * 4096 + 3 * 4096 * 14336 + 2 * 4096;

inline constexpr std::int64_t kEmbedding = 128256LL * 4096;

inline constexpr std::int64_t kHead = kEmbedding + 4096;

inline constexpr std::int64_t kAll = kLayers * kLayer + kEmbedding + kHead;

inline constexpr int kMicroBatches = 2;

/// On eight GPUs: CP2 DP4, two micro-batches, FP32 reductions, all overlapped.
inline Recipe sharded(Sharding strategy) {
  Recipe recipe = llama_8b();
  recipe.model.num_layers = kLayers;
  recipe.training.global_batch_size = 4 * kMicroBatches;
  recipe.optimizer.grad_reduce_dtype = DataType::fp32;
  recipe.overlap.overlap_param_gather = true;
  recipe.overlap.overlap_grad_reduce = true;
  recipe.sharding.strategy = strategy;
  return recipe;
}

/// Two stages of two layers, DP4.
inline Recipe staged(Sharding strategy) {
  Recipe recipe = sharded(strategy);
  recipe.parallelism.context_parallel_size = 1;
  recipe.parallelism.pipeline_model_parallel_size = 2;
  return recipe;
}

inline Recipe replicated(Sharding strategy, int degree) {
  Recipe recipe = sharded(strategy);
  recipe.sharding.data_parallel_replicate_degree = degree;
  return recipe;
}

inline const std::vector<Sharding> kOfUnits{Sharding::zero3, Sharding::fsdp1, Sharding::fsdp2,
                                            Sharding::megatron_fsdp, Sharding::xla_fsdp};

inline Program program_of(const Recipe& recipe, int stage = 0) {
  const StepSetup setup(recipe, "dgx-superpod-h100", 1);
  return stage_program(setup.context(), rank_grid(recipe, 8).rank({0, 0, 0, stage}));
}

inline std::vector<std::uint32_t> transfers(const Program& program, Label label, GroupKind group) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    const Op& which = program.ops[op];
    if (!which.compute && which.label == label && which.group == group) found.push_back(op);
  }
  return found;
}

inline std::vector<std::uint32_t> gathers(const Program& program) {
  return transfers(program, Label::parameter_gather, GroupKind::data);
}

inline std::vector<std::uint32_t> reductions(const Program& program) {
  return transfers(program, Label::gradient_reduce, GroupKind::data);
}

inline std::vector<std::uint32_t> pass_ops(const Program& program, Label label,
                                           std::uint32_t micro_batch) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    if (program.ops[op].label == label && program.ops[op].micro_batch == micro_batch)
      found.push_back(op);
  }
  return found;
}

}  // namespace simtrain::testing
