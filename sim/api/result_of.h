#pragma once

#include <simtrain/simulate.h>

#include "sim/run/results/report.h"

namespace simtrain::api {

/// A report as the library shows it.
Result result_of(Report report);

}  // namespace simtrain::api
