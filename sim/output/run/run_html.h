#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/run/analysis/step_work.h"
#include "sim/run/results/provenance.h"
#include "sim/run/simulated_step.h"
#include "sim/study/what_if/explain.h"
#include "sim/study/what_if/job_advice.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {

/// A simulated scenario as one HTML page without other files: headline figures, the way from the
/// peak to the MFU, the pipeline, memory, communication, the cluster with the job in it, and where
/// every parameter comes from. `work` is what the step is made of. With an explanation also what
/// would gain most, with a goal what that training run takes, with a job its days, their spread and
/// what to change.
std::string run_html(const SimulatedStep& simulated, const Report& report, const StepWork& work,
                     const std::vector<ProvenanceFile>& provenance,
                     const std::optional<Explanation>& why = std::nullopt,
                     const std::optional<TrainingGoal>& goal = std::nullopt,
                     const AdvisedJob* job = nullptr);

}  // namespace simtrain
