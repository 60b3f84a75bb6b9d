#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/measured/run/measured_run.h"
#include "sim/run/figures/metrics.h"
#include "sim/run/scenario/scenario.h"
#include "sim/topology/specs/gpu_spec.h"
#include "sim/workload/model/model_spec.h"

namespace simtrain {

/// What the metrics of a run need beside its steps, each with where it comes from.
struct RunFacts {
  template <class T>
  using Fact = std::optional<Sourced<T>>;

  Fact<double> gpus;
  Fact<double> global_batch_size;
  Fact<double> seq_length;
  Fact<Precision> precision;
  Fact<GpuSpec> gpu;
  Fact<ModelSpec> model;
  Fact<double> flops_per_sample;  ///< forward and backward, given as such, in place of a model
  Fact<double> peak_tflops;       ///< of one GPU, given as such, in place of a GPU and a precision
  Fact<MfuConvention> convention;
};

/// The facts in the log itself: fields of its steps, and the configuration it was started with.
RunFacts facts_of_log(const LoggedFacts& logged);

/// The facts in a scenario; `origin` names it.
RunFacts facts_of_scenario(const Scenario& scenario, const std::string& origin);

/// The facts of several sources: of each fact, the first source that has it counts.
struct MergedFacts {
  RunFacts facts;
  /// Where a later source gives something else: "global batch size: 256 (...) counts, not 128
  /// (...)".
  std::vector<std::string> contradictions;
};
MergedFacts merge(const std::vector<RunFacts>& sources);

}  // namespace simtrain
