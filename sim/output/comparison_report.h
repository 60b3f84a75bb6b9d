#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/measured/comparison.h"
#include "sim/output/metrics_report.h"
#include "sim/study/common_cause.h"

namespace simtrain {

/// A measured run beside its prediction.
struct ComparedRun {
  MeasuredReport measured;
  Report report;
  Comparison comparison;
};

/// The gap, whether the interval holds the run, what could explain it, the most plausible first,
/// and what else the log says.
std::string comparison_text(const ComparedRun& run);

/// The same as JSON, schema `simtrain.comparison/1`, with the measured steps.
std::string comparison_json(const ComparedRun& run);

/// Several runs, a line each, and which number of `hardware/` would explain them all; without
/// `causes` that one plan cannot tell.
std::string comparisons_text(const std::vector<ComparedRun>& runs,
                             const std::optional<CommonCauses>& causes);

/// The same as JSON, schema `simtrain.comparisons/1`, with all that is said of each run.
std::string comparisons_json(const std::vector<ComparedRun>& runs,
                             const std::optional<CommonCauses>& causes);

/// "gpus/h100-sxm.yaml gemm.dram_share": which number a cause is.
std::string name_of_cause(const CommonCause& cause);

/// "0.82 -> 0.9 (x 1.098)", with its unit.
std::string change_of_cause(const CommonCause& cause);

}  // namespace simtrain
