#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/measured/run/step_window.h"

namespace simtrain {

inline constexpr double kNotLogged = std::numeric_limits<double>::quiet_NaN();

/// One training step as logged. Numbers are the log's own: NeMo and DLLogger count from 0,
/// Megatron from 1.
struct MeasuredStep {
  std::int64_t number = 0;
  double seconds = 0;
  double tflops = kNotLogged;  ///< TFLOP/s of one GPU, as the framework counts
  float loss = static_cast<float>(kNotLogged);
  bool finite = true;  ///< neither loss nor gradient norm is NaN or infinite
};

/// A line, or a record over several, that looks like a step but is none.
struct SkippedLine {
  std::int64_t line = 0;  ///< from 1
  std::string why;
};

/// The lines that were skipped: how many for which reason, the first of them by number.
struct SkippedLines {
  static constexpr std::size_t kNamed = 10;

  std::int64_t count = 0;
  std::map<std::string, std::int64_t> reasons;
  std::vector<SkippedLine> named;  ///< the first `kNamed`
};

/// Notes one more.
void add_skipped(SkippedLines& skipped, std::int64_t line, std::string_view why);

/// A step number that occurs more than once, as after a restart or where several ranks write.
struct RepeatedSteps {
  std::int64_t count = 0;         ///< records that a later one of the same number replaced
  double largest_difference = 0;  ///< between the times of the two, as a share
};

/// Notes that a step occurs again.
void note_repeated(RepeatedSteps& repeated, const MeasuredStep& old, const MeasuredStep& by);

/// The window of the tool for logs of a format, which holds fewer than two steps of a log that has
/// others: see OwnWindow.
struct MissedWindow {
  StepWindow window;
  std::size_t held = 0;     ///< steps of the log: 0 or 1
  std::size_t warm_up = 0;  ///< steps left out before those that replace it
};

/// What a log holds about the job beside its steps; nothing where it does not.
struct LoggedFacts {
  std::optional<double> global_batch_size;
  std::optional<double> batch_from_samples;  ///< consumed samples per step
  std::optional<double> peak_memory_bytes;   ///< the highest of the logged peaks
  /// The run's own configuration: DLLogger's PARAMETER record (`cfg/...`), Megatron's arguments.
  std::map<std::string, std::string> configuration;
};

/// A training log, read: the steps of a window and what is logged beside them.
struct MeasuredRun {
  std::string path;
  std::string format;  ///< a name of log_formats(); empty where no step was found
  StepWindow window;   ///< whose steps these are
  std::string tool;    ///< whose window counts by default; empty where one was asked for
  std::optional<MissedWindow> missed;  ///< the tool's window, where `window` replaces it
  std::vector<MeasuredStep> steps;     ///< of the window, by number, none twice
  std::string foreign;                 ///< without a step: what the log looks like, or nothing
  std::int64_t steps_seen = 0;         ///< records of steps in the whole log
  std::int64_t first_step = 0;         ///< lowest and highest number in the whole log
  std::int64_t last_step = 0;
  RepeatedSteps repeated;  ///< in the window
  LoggedFacts facts;
  SkippedLines skipped;
  std::int64_t lines = 0;
  std::int64_t bytes = 0;  ///< after decompression
};

}  // namespace simtrain
