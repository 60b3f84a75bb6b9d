#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simtrain/scenario.h>
#include <simtrain/simulate.h>
#include <simtrain/study.h>

/// What was measured: training logs, alone and beside the predictions of their scenarios. Each
/// question does what the command of its name does, and each answer holds that command's JSON.
namespace simtrain::api {

/// Of the steps of a log's window.
struct StepFigure {
  double mean = 0;
  std::optional<double> std;  ///< as the window's tool divides; none of a single step
  double min = 0;
  double max = 0;
};

struct LoggedStep {
  std::int64_t step = 0;  ///< the log's own number
  double step_time_s = 0;
};

/// What one log says. Figures whose inputs neither the log nor a scenario gives are left out.
struct LogMetrics {
  std::string name;    ///< of the run, from its path
  std::string path;    ///< of the log
  std::string format;  ///< of `simtrain list log-formats`; empty without a step
  std::string status;  ///< Success, Partial, NaN or No steps
  std::string why;     ///< of a status other than Success
  std::string window;  ///< which steps count
  std::optional<StepFigure> step_time_s;
  std::optional<StepFigure> logged_tflops_per_gpu;  ///< as the framework counted
  std::optional<double> tokens_per_s;
  std::optional<double> tokens_per_s_per_gpu;
  std::optional<double> tflops_per_gpu;
  std::optional<double> mfu;
  std::optional<double> days_per_1t_tokens;
  std::optional<double> peak_memory_bytes;  ///< the highest that is logged
  std::vector<LoggedStep> steps;            ///< of the window
};

struct Metrics {
  std::vector<LogMetrics> runs;
  std::string text;  ///< the report of `simtrain metrics`
  std::string json;  ///< schema simtrain.metrics/1
};

struct LogOptions {
  /// Which steps count: "11:44", "11:", "last", "last:20", "all" or a tool's window by name
  /// (`simtrain list step-windows`); empty: that of the tool for logs of the format.
  std::string steps;
  std::string format;  ///< of `simtrain list log-formats`; empty: that of the log's first step
};

/// Reads training logs; `progress` counts them. A path is a log, plain or gzip, or a folder of
/// logs; `scenario` is for what they do not say. Throws InputError where one cannot be read.
[[nodiscard]] Metrics metrics(const std::vector<std::string>& paths,
                              const std::optional<Scenario>& scenario = {},
                              const LogOptions& options = {}, const Progress& progress = {});

/// One share of a step, taken as the only one that is predicted wrong.
struct GapExplanation {
  std::string share;
  double predicted_s = 0;
  double needed_s = 0;         ///< what it would be
  double standard_errors = 0;  ///< that it would be off by
  std::string verdict;         ///< plausible, stretched, unlikely or impossible
};

/// A software stack, taken for the one that the run had.
struct StackExplanation {
  std::string software;
  std::string refusal;  ///< why the scenario cannot be simulated with it; no figures then
  std::optional<double> predicted_s;  ///< with it
  std::optional<double> error;        ///< predicted over measured, less one
  bool explains = false;              ///< what is left is what equal runs differ by
};

/// A training log beside the prediction of its scenario.
struct Comparison {
  std::string scenario;  ///< title
  std::string log;       ///< path
  std::string status;    ///< as LogMetrics
  std::string window;    ///< which steps count
  double predicted_s = 0;
  Interval interval_90_s;
  StepFigure measured_s;
  double median_s = 0;  ///< of the measured steps
  double error = 0;     ///< predicted over measured, less one
  bool inside = false;  ///< the interval holds the measured mean
  double predicted_peak_memory_bytes = 0;
  std::optional<double> peak_memory_bytes;   ///< logged
  std::vector<std::string> caveats;          ///< what speaks against the log
  std::vector<GapExplanation> explanations;  ///< most plausible first
  std::vector<StackExplanation> stacks;      ///< best first, refused ones last; none
                                             ///< where the error needs none, or the log is of
                                             ///< another job or holds a NaN (`caveats`)
  std::string text;                          ///< the report of `simtrain compare`
  std::string json;                          ///< schema simtrain.comparison/1
};

/// Simulates a scenario and compares with a log of its run; `progress` counts the software stacks
/// that are tried, if any are. Throws InputError where the log cannot be read or has no step time.
[[nodiscard]] Comparison compare(const Scenario& scenario, const std::string& log,
                                 const LogOptions& options = {}, const Progress& progress = {});

}  // namespace simtrain::api
