#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/output/measured/comparison_report.h"

namespace simtrain {

/// Measured runs beside their predictions as one page that needs no other file: each run's steps
/// over the predicted interval, where the predicted step goes, what could explain the gap; for
/// several runs which number of `hardware/` would explain them all.
std::string comparison_html(const std::vector<ComparedRun>& runs, const ComparedCauses& causes);

}  // namespace simtrain
