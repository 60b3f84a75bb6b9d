#pragma once

#include <optional>

#include <simtrain/simulate.h>

#include "sim/run/analysis/step_work.h"
#include "sim/run/results/report.h"

namespace simtrain::api {

/// A report as the library shows it, with kernels and transfers where they are given.
Result result_of(Report report, std::optional<StepWork> work = {});

}  // namespace simtrain::api
