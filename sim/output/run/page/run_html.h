#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/run/analysis/step_work.h"
#include "sim/run/scenario/provenance.h"
#include "sim/run/step/simulated_step.h"
#include "sim/study/what_if/explain.h"
#include "sim/study/what_if/job_advice.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {

/// What a page of a run shows beside the step's figures.
struct RunPageParts {
  const StepWork& work;  ///< of the step
  const std::vector<ProvenanceFile>& provenance;
  const std::optional<Explanation>& why;
  const std::optional<TrainingGoal>& goal;
  const std::string& json;  ///< what --format json prints, which the page carries
  const AdvisedJob* job = nullptr;
};

/// A simulated scenario as one HTML page without other files: headline figures, the way from the
/// peak to the MFU, the pipeline, memory, communication, the cluster with the job in it, what the
/// step is made of, and where every parameter comes from. With an explanation also what would gain
/// most, with a goal what that training run takes, with a job its days, their spread and what to
/// change.
std::string run_html(const SimulatedStep& simulated, const Report& report,
                     const RunPageParts& parts);

}  // namespace simtrain
