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

/// What speaks against the log of a run, a sentence each: it is partial or holds a NaN, says
/// another job than the scenario, or has lines that were skipped.
std::vector<std::string> caveats_of(const ComparedRun& run);

/// Of several runs.
struct GapSummary {
  double mean_absolute = 0;  ///< of measured over predicted, less one
  double mean = 0;
  int inside = 0;  ///< their 90 % interval
};
GapSummary summarize_gaps(const std::vector<ComparedRun>& runs);

/// The gap, whether the interval holds the run, what could explain it, the most plausible first,
/// and what else the log says.
std::string comparison_text(const ComparedRun& run);

/// The same as JSON, schema `simtrain.comparison/1`, with the measured steps.
std::string comparison_json(const ComparedRun& run);

/// Several runs, a line each, and which number of `hardware/` would explain them all; without
/// `causes`, as for runs of one plan, that they cannot tell.
std::string comparisons_text(const std::vector<ComparedRun>& runs,
                             const std::optional<CommonCauses>& causes);

/// The same as JSON, schema `simtrain.comparisons/1`, with all that is said of each run.
std::string comparisons_json(const std::vector<ComparedRun>& runs,
                             const std::optional<CommonCauses>& causes);

/// "gpus/h100-sxm.yaml gemm.dram_share": which number a cause is.
std::string name_of_cause(const CommonCause& cause);

/// Root mean square gaps and noise of a search are logarithms; this is the gap that they stand for.
double gap_of(double logarithm);

/// "0.82 -> 0.9 (x 1.098)", with its unit.
std::string change_of_cause(const CommonCause& cause);

}  // namespace simtrain
