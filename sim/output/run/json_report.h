#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/run/analysis/step_work.h"
#include "sim/run/results/report.h"
#include "sim/study/what_if/explain.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {

/// What a result holds where it is asked for; none is owned.
struct AskedParts {
  const Explanation* explanation = nullptr;  ///< `explain`
  const StepWork* work = nullptr;            ///< `kernels` and `transfers`
};

/// The report as `simtrain.result/1`; fields are added later, never renamed. `training_run` is what
/// the goal takes.
std::string json_report(const Report& report, const TrainingGoal& goal = {},
                        const AskedParts& asked = {});
/// Its members, for a document that holds it.
nlohmann::ordered_json result_json(const Report& report, const TrainingGoal& goal,
                                   const AskedParts& asked);

/// Results of a scenario's rows as `simtrain.results/1`: {"schema":, "rows": [{"row":,
/// "result":}]}.
std::string json_table(const std::vector<std::string>& row_names,
                       const std::vector<Report>& reports, const TrainingGoal& goal = {});

}  // namespace simtrain
