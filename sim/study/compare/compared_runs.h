#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/measured/comparison.h"
#include "sim/measured/measured_report.h"
#include "sim/study/compare/other_stacks.h"

namespace simtrain {

/// A log, the scenario that it is of, and its row.
struct LoggedRun {
  ScenarioSource source;
  std::string scenario;  ///< path
  std::string log;
  std::string row;
};

/// A measured run beside its prediction.
struct ComparedRun {
  MeasuredReport measured;
  Report report;
  Comparison comparison;
};

/// What could make the errors of the runs, beside the shares of each step.
struct ComparedCauses {
  std::optional<CommonCauses> numbers;  ///< none: not possible from runs of one plan
  std::optional<OtherStacks> stacks;    ///< none: no run is of the job that its scenario describes
};

/// What to change of every scenario, and which steps of every log to take.
struct ComparisonRequest {
  std::vector<Setting> settings;
  LogRequest log;
};

/// Simulates the scenario of a log and compares. Throws InputError where the log has no step time.
ComparedRun compared_run(const DataFolder& data, const LoggedRun& logged,
                         const ComparisonRequest& request);

/// What could make the errors of `runs`, those of `logged` in their order. Plans whose logs are of
/// another job, or hold a NaN, explain nothing.
ComparedCauses compared_causes(const DataFolder& data, const std::vector<LoggedRun>& logged,
                               const ComparisonRequest& request,
                               const std::vector<ComparedRun>& runs, const Watch& stacks = {},
                               const Watch& numbers = {});

}  // namespace simtrain
