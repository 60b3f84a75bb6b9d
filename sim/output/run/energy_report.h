#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "sim/run/energy/step_energy.h"

namespace simtrain {

/// "812 W", "10.12 kW", "1.25 MW".
std::string power_text(double watts);
/// "2.41 J", "39.80 MJ".
std::string energy_text(double joules);

/// The section of the text report; none where nothing was simulated.
std::string energy_section(const StepEnergy& energy);

/// The field `energy` of simtrain.result/1. The trace is given as a hundred means.
/// Null where nothing was simulated.
nlohmann::ordered_json energy_json(const StepEnergy& energy);

/// The part of the HTML page: headline and tables.
nlohmann::ordered_json energy_page(const StepEnergy& energy);

/// What web/run_page.js draws of it: watts of the mean GPU and of those of each stage over the
/// step.
nlohmann::ordered_json energy_page_data(const StepEnergy& energy);

}  // namespace simtrain
