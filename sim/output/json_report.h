#pragma once

#include <string>
#include <vector>

#include "sim/run/report.h"
#include "sim/study/explain.h"

namespace simtrain {

/// The report as `simtrain.result/1`; fields are added later, never renamed.
std::string json_report(const Report& report);

/// The same with a field `explain`.
std::string json_report(const Report& report, const Explanation& explanation);

/// Results of a scenario's rows as `simtrain.results/1`: {"schema":, "rows": [{"row":,
/// "result":}]}.
std::string json_table(const std::vector<std::string>& row_names,
                       const std::vector<Report>& reports);

}  // namespace simtrain
