#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/measured/logs/log_format.h"
#include "tests/core/error_of.h"

namespace simtrain::testing {

/// A text read as a log, in pieces of so many bytes.
inline MeasuredRun read_text(std::string_view text, const LogRequest& request = {},
                             std::size_t piece = 65536) {
  return read_log(text_source(text, piece), request);
}

/// A request for all steps.
inline LogRequest all_steps() { return {parse_window("all", ""), ""}; }

// Synthetic lines in the layouts of the formats.

inline std::string nemo_line(std::int64_t step, std::string_view seconds) {
  return fmt::format(
      "Training epoch 0, iteration {0}/49 | lr: 7.496e-06 | global_batch_size: 128 | global_step: "
      "{0} | reduced_train_loss: 11.96 | train_step_timing in s: {1} | consumed_samples: {2}\n",
      step, seconds, 128 * (step + 1));
}

inline std::string bar_line(std::int64_t step, std::string_view seconds) {
  return fmt::format(
      "\rEpoch 0: : 12%|█▏   | {1}/100 [00:57<07:00, reduced_train_loss=7.310, "
      "global_step={0}.00, consumed_samples={2}.0, train_step_timing in s={3}]",
      step, step + 1, 256 * (step + 1), seconds);
}

inline std::string megatron_line(std::int64_t step, std::string_view milliseconds) {
  return fmt::format(
      " [2025-01-01 00:00:00] iteration {0:8}/      50 | consumed samples: {1:12} | elapsed time "
      "per iteration (ms): {2} | throughput per GPU (TFLOP/s/GPU): 612.1 | learning rate: "
      "1.000000E-05 | global batch size:   128 | lm loss: 1.196000E+01 | loss scale: 1.0 | grad "
      "norm: 1.200 | number of skipped iterations:   0 | number of nan iterations:   0 |\n",
      step, 128 * step, milliseconds);
}

inline std::string dllogger_line(std::int64_t step, std::string_view seconds) {
  return fmt::format(
      R"(DLLL {{"timestamp": "1.5", "datetime": "2025-03-14 20:55:29.870151", "elapsedtime": "1.5", )"
      R"("type": "LOG", "step": {0}, "data": {{"reduced_train_loss": 12.5, "global_step": {0}.0, )"
      R"("consumed_samples": {1}.0, "grad_norm": 45.6, "train_step_timing in s": {2}, )"
      R"("epoch": 0}}}})"
      "\n",
      step, 2016 * (step + 1), seconds);
}

}  // namespace simtrain::testing
