#pragma once

#include <string>

#include "sim/topology/specs/gpu_fields.h"
#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/fields/software_fields.h"
#include "sim/workload/model/recipe.h"
#include "tests/core/data_folder.h"

namespace simtrain::testing {

inline GpuSpec gpu(const std::string& name) {
  return data_folder().load<GpuSpec>("hardware/gpus", name, {}, "gpu");
}

/// A model of scenarios/models as the recipes of container 25.02.01 train it: BF16, distributed
/// optimizer, BF16 gradients, no overlap and no parallelism yet.
inline Recipe recipe_of(const std::string& model) {
  Recipe recipe;
  recipe.model = data_folder().load<ModelSpec>("scenarios/models", model, {}, "model");
  recipe.software =
      data_folder().load<SoftwareSpec>("hardware/software", "nemo-25.02.01", {}, "software");
  recipe.training.precision = Precision::bf16;
  recipe.training.seq_length = 8192;
  recipe.training.micro_batch_size = 1;
  recipe.training.global_batch_size = 128;
  recipe.optimizer.grad_reduce_dtype = DataType::bf16;
  recipe.optimizer.bucket_size_mb = 268.435456;
  return recipe;
}

inline void overlap_tensor_parallel(Recipe& recipe, const std::string& table) {
  recipe.overlap.tp_comm_overlap = true;
  recipe.tp_overlap =
      data_folder().load<TpOverlapTable>("hardware/tp_overlap", table, {}, "tp_comm_overlap_table");
}

/// Llama 3.1 405B: TP8 CP2 PP8 VP8, embedding and loss counted as layers.
inline Recipe llama_405b() {
  Recipe recipe = recipe_of("llama3.1-405b");
  recipe.training.global_batch_size = 256;
  recipe.parallelism.tensor_model_parallel_size = 8;
  recipe.parallelism.context_parallel_size = 2;
  recipe.parallelism.pipeline_model_parallel_size = 8;
  recipe.parallelism.virtual_pipeline_model_parallel_size = 8;
  recipe.parallelism.sequence_parallel = true;
  recipe.parallelism.account_for_embedding_in_pipeline_split = true;
  recipe.parallelism.account_for_loss_in_pipeline_split = true;
  return recipe;
}

/// Llama 3.1 405B on 224 B200 as the A4 recipe has it: TP4 CP2 PP14 VP9, one layer a chunk.
inline Recipe llama_405b_a4() {
  Recipe recipe = llama_405b();
  recipe.training.global_batch_size = 2016;
  recipe.parallelism.tensor_model_parallel_size = 4;
  recipe.parallelism.pipeline_model_parallel_size = 14;
  recipe.parallelism.virtual_pipeline_model_parallel_size = 9;
  recipe.parallelism.account_for_embedding_in_pipeline_split = false;
  recipe.parallelism.account_for_loss_in_pipeline_split = false;
  return recipe;
}

/// Llama 3.1 8B on 8 H100: CP2.
inline Recipe llama_8b() {
  Recipe recipe = recipe_of("llama3.1-8b");
  recipe.parallelism.context_parallel_size = 2;
  return recipe;
}

/// Nemotron4 15B on 64 H100: TP2, two samples a micro-batch.
inline Recipe nemotron_15b() {
  Recipe recipe = recipe_of("nemotron4-15b");
  recipe.training.seq_length = 4096;
  recipe.training.micro_batch_size = 2;
  recipe.training.global_batch_size = 256;
  recipe.parallelism.tensor_model_parallel_size = 2;
  recipe.parallelism.sequence_parallel = true;
  return recipe;
}

}  // namespace simtrain::testing
