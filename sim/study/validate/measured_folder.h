#pragma once

#include <string>

#include "sim/core/files/data_folder.h"
#include "sim/core/watch.h"
#include "sim/measured/logs/log_format.h"
#include "sim/study/validate/validate.h"

namespace simtrain {

/// Simulates the runs of a user's folder (`measured_pairs`) and compares with the mean step time of
/// their logs. A scenario is one table, a log one row. Throws InputError where the folder holds no
/// pairs, a log no step of the window, or a scenario is wrong.
ValidationResult validate_folder(const DataFolder& data, const std::string& folder,
                                 const LogRequest& request, const Watch& watch = {});

}  // namespace simtrain
