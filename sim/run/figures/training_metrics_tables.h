#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace simtrain {

// The tables of the training_metrics tool of AI-Hypercomputer's gpu-recipes, which document
// 000_ece8d9e1a5d97706.txt names. Its figures follow from these numbers, not from formulas or
// datasheets.

/// FLOPs of one sample, forward and backward, of a `--model_type`.
struct TrainingMetricsModel {
  std::string_view name;
  double flops_per_sample;
  // The shape that the entry means, where scenarios/models has one of its name; else 0.
  int num_layers = 0;
  std::int64_t seq_length = 0;
};
std::span<const TrainingMetricsModel> training_metrics_models();

/// Dense peak TFLOP/s of an `--accelerator_type`; 0 where the table has none.
struct TrainingMetricsAccelerator {
  std::string_view name;
  double bf16_tflops;
  double fp8_tflops;
};
std::span<const TrainingMetricsAccelerator> training_metrics_accelerators();

}  // namespace simtrain
