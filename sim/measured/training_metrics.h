#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/measured/run/measured_run.h"

namespace simtrain {

/// The options of the training_metrics tool of AI-Hypercomputer's gpu-recipes, by their names
/// there.
struct TrainingMetricsRequest {
  std::string file;
  double batch_size = 0;
  double num_accelerators = 0;
  std::string precision = "bf16";
  std::optional<std::string> model_type;
  std::optional<double> model_flops;  ///< of one sample, in place of a model type
  std::optional<std::string> accelerator_type;
  std::optional<double> max_flops;  ///< TFLOP/s, in place of an accelerator type
  std::int64_t start_step = 10;
  std::int64_t end_step = 30;  ///< included
};

/// What the tool prints.
struct TrainingMetrics {
  double average_step_time_s = 0;
  double tflops_per_accelerator = 0;
  double mfu = 0;  ///< a fraction
};

/// What the tool would compute from the DLLogger log `file`: with its own tables
/// (sim/run/figures/training_metrics_tables.h), step times averaged over the records of the window.
/// Throws InputError where a name is not of its tables, both or neither of two options give
/// one figure, or the log has no step in the window. `run` becomes the log as read.
TrainingMetrics training_metrics(const TrainingMetricsRequest& request, MeasuredRun& run);

}  // namespace simtrain
