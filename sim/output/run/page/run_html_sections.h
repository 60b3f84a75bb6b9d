#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "sim/run/analysis/waterfall.h"
#include "sim/run/results/report.h"
#include "sim/run/scenario/provenance.h"
#include "sim/run/step/simulated_step.h"
#include "sim/study/what_if/explain.h"

namespace simtrain {

// The content of the tables of web/templates/run.html. Elements with class "chart" are drawn by
// web/run_page.js; all that they show is in tables as well, but for the pipeline.

nlohmann::ordered_json waterfall_section(const Waterfall& fall);
/// The critical path by share.
nlohmann::ordered_json path_rows(const Report& report);
/// What gains most of what was simulated anew.
nlohmann::ordered_json explanation_section(const Explanation& why);
/// Drawing, placement and use of links.
nlohmann::ordered_json placement_section(const SimulatedStep& simulated, const Report& report);
/// The recipe as it was simulated, every key.
nlohmann::ordered_json recipe_section(const Report& report);
nlohmann::ordered_json provenance_section(const std::vector<ProvenanceFile>& provenance);

}  // namespace simtrain
