#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/tasks/task_list.h"
#include "sim/study/what_if/changed_plans.h"
#include "sim/study/what_if/goodput.h"

namespace simtrain {

class DataFolder;
class ScenarioSource;
struct Setting;

/// A job whose states are simulated and whose runs are not yet. All runs that it takes are
/// numbered, those of the job first, then those of each changed one, and do not depend on each
/// other: any number of threads, processes and machines may share them.
class GoodputStudy {
 public:
  /// Simulates the states, on all cores. Throws InputError where one cannot be simulated.
  explicit GoodputStudy(const JobInputs& inputs, const GoodputOptions& options = {});

  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] JobRun run(std::uint64_t number) const;
  /// The runs as tasks; the study outlives them.
  [[nodiscard]] TaskList tasks() const;

  /// What comes of `runs`: all of them, in order.
  [[nodiscard]] Goodput finished(std::vector<JobRun> runs) &&;

 private:
  [[nodiscard]] std::uint64_t own_runs() const {
    return static_cast<std::uint64_t>(goodput_.inputs.spec.runs);
  }

  Goodput goodput_;                 ///< without runs
  std::vector<ChangedPlan> tried_;  ///< intervals, spares, then the others
  std::size_t intervals_ = 0;       ///< of them
  std::size_t spares_ = 0;
};

/// A run as one line of text, for journals and messages; every figure comes back as it was.
std::string record_of(std::uint64_t number, const JobRun& run);

/// A run with its number in the study.
struct NumberedRun {
  std::uint64_t number = 0;
  JobRun run;
};
/// Throws std::invalid_argument where the text is no record of a run.
NumberedRun numbered_run(std::string_view record);

/// Of all that a study's runs depend on but the program: the scenario with row and settings, the
/// files of `data`, a snapshot, and whether changes are tried.
std::string goodput_fingerprint(const DataFolder& data, const ScenarioSource& source,
                                const std::string& row, const std::vector<Setting>& settings,
                                bool changes);

}  // namespace simtrain
