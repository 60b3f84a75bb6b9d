#pragma once

#include <string>
#include <vector>

#include "sim/run/results/provenance.h"
#include "sim/run/simulated_step.h"
#include "sim/study/what_if/explain.h"

namespace simtrain {

// The parts of the page of a run, as HTML. Elements with class "chart" are drawn by
// web/run_page.js; all that they show stands in tables as well, but for the pipeline.

std::string waterfall_section(const SimulatedStep& simulated, const Report& report);
/// What gains most of what was simulated anew.
std::string explanation_section(const Explanation& why);
std::string pipeline_section(const SimulatedStep& simulated);
std::string communication_section(const Report& report);
/// Drawing, placement and use of links.
std::string cluster_section(const SimulatedStep& simulated, const Report& report);
/// The recipe as it was simulated, every key.
std::string recipe_section(const Report& report);
std::string provenance_section(const std::vector<ProvenanceFile>& provenance);

}  // namespace simtrain
