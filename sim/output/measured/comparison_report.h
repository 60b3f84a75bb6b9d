#pragma once

#include <string>
#include <vector>

#include "sim/output/measured/metrics_report.h"
#include "sim/study/compare/compared_runs.h"

namespace simtrain {

/// What speaks against the log of a run, a sentence each: it is partial or holds a NaN, is of
/// another job than the scenario, or has lines that were skipped.
std::vector<std::string> caveats_of(const ComparedRun& run);

/// Of several runs: errors are predicted over measured step time, less one.
struct ComparedErrors {
  double mean_absolute = 0;
  double mean = 0;
  int inside = 0;  ///< their 90 % interval
};
ComparedErrors summarize_errors(const std::vector<ComparedRun>& runs);

/// The error, whether the interval holds the run, what could explain it, the most plausible first,
/// and signs of a slow run in the log.
std::string comparison_text(const ComparedRun& run, const ComparedCauses& causes);

/// The same as JSON, schema `simtrain.comparison/1`, with the measured steps.
std::string comparison_json(const ComparedRun& run, const ComparedCauses& causes);

/// Several runs, a line each, and which number of `hardware/` or software stack would explain them
/// all.
std::string comparisons_text(const std::vector<ComparedRun>& runs, const ComparedCauses& causes);

/// The same as JSON, schema `simtrain.comparisons/1`, with all that is reported of each run.
std::string comparisons_json(const std::vector<ComparedRun>& runs, const ComparedCauses& causes);

/// "gpus/h100-sxm.yaml gemm.dram_share": which number a cause is.
std::string name_of_cause(const CommonCause& cause);

/// Root mean square errors and noise of a search are logarithms; this is the share that they
/// correspond to.
double share_of(double logarithm);

/// Page and text on the software stacks that were tried: those that take a tenth or
/// more of the errors away.
std::vector<std::string> stack_sentences(const OtherStacks& stacks);

/// "0.82 -> 0.9 (x 1.098)", with its unit.
std::string change_of_cause(const CommonCause& cause);

}  // namespace simtrain
