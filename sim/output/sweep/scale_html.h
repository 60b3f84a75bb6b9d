#pragma once

#include <string>
#include <vector>

#include "sim/output/sweep/scale_report.h"

namespace simtrain {

/// The page of a scaling study (html.h): throughput against the ideal, efficiency and MFU, where
/// the step of each size goes, and the table.
std::string scale_html(const ScaleHead& head, const std::vector<ScaleRow>& rows);

}  // namespace simtrain
