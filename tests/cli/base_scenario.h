#pragma once

#include <string_view>

namespace simtrain::testing {

/// A good scenario for the cases to break, each with one edit.
inline constexpr std::string_view kBaseScenario = R"(name: base
source: made for the tests
notes: [short]
mfu_convention: nvidia-dgxc
cluster: {name: dgx-superpod-h100, nodes: 4, placement: compact}
software: nemo-25.02
model: llama3.1-8b
training:
  precision: bf16
  seq_length: 8192
  micro_batch_size: 1
  global_batch_size: 32
parallelism:
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 2
  context_parallel_size: 1
  sequence_parallel: true
overlap:
  tp_comm_overlap: true
  tp_comm_overlap_table: te-default
  overlap_p2p_comm: true
  overlap_grad_reduce: true
  overlap_param_gather: true
optimizer: {distributed: true, grad_reduce_dtype: bf16, bucket_size_mb: 125}
)";

/// Rows for it.
inline constexpr std::string_view kBaseTable = R"(table:
  columns: [row, training.micro_batch_size]
  rows:
    - [one, 1]
    - [two, 2]
)";

}  // namespace simtrain::testing
