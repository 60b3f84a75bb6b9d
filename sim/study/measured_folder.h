#pragma once

#include <string>

#include "sim/core/data_folder.h"
#include "sim/measured/log_format.h"
#include "sim/study/validate.h"

namespace simtrain {

/// Simulates the runs of a user's folder and compares with the mean step time of their logs.
///
/// Each `NAME.yaml` in the folder, or in one below, is a scenario. Every other file is a log, but
/// hidden ones, `*.md` and `*.html`. A log belongs to the scenario beside it whose NAME it starts
/// with (`NAME.log`, `NAME.2.json.gz`), or to the only one that is there. Of a scenario with a
/// table the row stands next: `NAME.ROW.log`, or `ROW.log` beside the only scenario.
///
/// A scenario is one table, a log one row. Throws InputError where a file is left without its pair,
/// a log holds no step of the window, or a scenario is wrong.
ValidationResult validate_folder(const DataFolder& data, const std::string& folder,
                                 const LogRequest& request);

}  // namespace simtrain
