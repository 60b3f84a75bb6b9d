#pragma once

#include <string>
#include <vector>

#include "sim/output/run/recipe_difference.h"
#include "sim/run/results/report.h"

namespace simtrain {

/// One of two runs that are looked at side by side; nothing is owned.
struct RunSide {
  const Scenario& scenario;
  const Report& report;
};

/// A part of the breakdown in which one run takes time, in seconds of a step.
struct PartDifference {
  Share share{};
  double against_s = 0;
  double run_s = 0;
  [[nodiscard]] double change_s() const { return run_s - against_s; }
};

/// A run beside another one, from which differences are counted: positive where the run has more.
struct RunDifference {
  RunSide run;
  RunSide against;
  std::vector<PartDifference> parts;  ///< their changes sum to that of the step times
  std::vector<KeyDifference> keys;    ///< of the recipes: first that of `against`

  [[nodiscard]] double change_s() const {
    return run.report.step_time_s - against.report.step_time_s;
  }
  /// Whether both steps train on as many tokens, so that their times compare.
  [[nodiscard]] bool same_tokens() const {
    return run.report.tokens_per_step() == against.report.tokens_per_step();
  }
};

RunDifference run_difference(const RunSide& run, const RunSide& against);

/// A line of a table of the two, as printed.
struct DifferenceLine {
  std::string name;
  std::string against;
  std::string run;
  std::string change;
};

/// Step time, MFU, throughput, size and memory of both.
std::vector<DifferenceLine> figure_lines(const RunDifference& difference);
/// The parts of the critical path and, last, the step.
std::vector<DifferenceLine> part_lines(const RunDifference& difference);
/// Memory of the fullest stages by part and, last, in all.
std::vector<DifferenceLine> memory_lines(const RunDifference& difference);

}  // namespace simtrain
