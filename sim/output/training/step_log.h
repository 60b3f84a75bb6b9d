#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/job/steps/run_steps.h"
#include "sim/measured/logs/log_format.h"

namespace simtrain {

/// How a framework writes its steps down.
struct StepLogFormat {
  const LogFormat* reader;  ///< that reads it, and the window of the tool that recipes use
  std::size_t mean_of;      ///< the time of a step is the mean of so many up to it
  std::string (*number)(double seconds);  ///< as the log has it
  std::string (*text)(const Report& report, const std::vector<RunStep>& steps,
                      const std::vector<std::string>& numbers);
};

/// By the end of a file's name: .json is DLLogger's, .log and .out are NeMo 2's lines. Throws
/// InputError at any other; `key` is the option that gave it.
const StepLogFormat& step_log_format(const std::string& path, const std::string& key);

/// The steps as a log, and what the tool of its window reads from it.
struct StepLog {
  std::string text;
  std::string summary;  ///< a line: steps, how long all took, mean and deviation in the window
};
StepLog step_log(const StepLogFormat& format, const Report& report,
                 const std::vector<RunStep>& steps);

}  // namespace simtrain
