#pragma once

#include <string>
#include <vector>

#include "sim/run/results/report.h"
#include "sim/run/scenario/scenario.h"
#include "sim/study/validate/validate.h"

namespace simtrain {

/// A measured step time with the scenario that predicts it.
struct StepTime : MeasuredStepTime {
  ScenarioSource source;
};

/// The step times of the headline tables of a validation file. Throws InputError where it has none.
std::vector<StepTime> step_times(const DataFolder& data, const std::string& path);

struct StepTimePrediction {
  double predicted_s = 0;
  StepError error{};  ///< that the run states
};

ValidationRow compared(const StepTime& step_time, const StepTimePrediction& prediction);

/// Simulates each of them, several at once where there are cores. The same results in the same
/// order at any number of threads; of several errors the first row's is thrown.
std::vector<StepTimePrediction> predict(const DataFolder& data,
                                        const std::vector<StepTime>& step_times);

}  // namespace simtrain
