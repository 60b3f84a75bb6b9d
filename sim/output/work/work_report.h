#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "sim/run/analysis/step_work.h"
#include "sim/run/results/report.h"

namespace simtrain {

/// A kernel as a profiler names it.
std::string kernel_of(const KernelWork& row);

/// The kernels and transfers of a step for people, behind a text report: those with most time on
/// the critical path, two lines each, and how all of them and the waiting sum to the step. 80
/// columns, units on every number.
std::string work_text(const StepWork& work, const Report& report);

/// All of them, as the members `kernels` and `transfers` of a result.
void add_work(nlohmann::ordered_json& result, const StepWork& work);

/// All of them for web/templates/work.html, the first ones apart from the others.
nlohmann::ordered_json work_section(const StepWork& work, const Report& report);

}  // namespace simtrain
