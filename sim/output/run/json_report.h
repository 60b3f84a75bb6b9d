#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/run/results/report.h"
#include "sim/study/what_if/explain.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {

/// The report as `simtrain.result/1`; fields are added later, never renamed. `training_run` is what
/// the goal takes.
std::string json_report(const Report& report, const TrainingGoal& goal = {});

/// The same with a field `explain`.
std::string json_report(const Report& report, const TrainingGoal& goal,
                        const Explanation& explanation);

/// Its members, for a document that holds it; `why` as `explain`, where it is given.
nlohmann::ordered_json result_json(const Report& report, const TrainingGoal& goal,
                                   const Explanation* why = nullptr);

/// Results of a scenario's rows as `simtrain.results/1`: {"schema":, "rows": [{"row":,
/// "result":}]}.
std::string json_table(const std::vector<std::string>& row_names,
                       const std::vector<Report>& reports, const TrainingGoal& goal = {});

}  // namespace simtrain
