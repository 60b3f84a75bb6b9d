#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/measured/run/measured_run.h"
#include "sim/measured/run_facts.h"

namespace simtrain {

/// Of the steps of a window.
struct Statistics {
  double mean = 0;
  std::optional<double> std;  ///< by the window: of the population or of the sample
  double min = 0;
  double max = 0;
};

/// Of values, at least one; one alone has no deviation.
Statistics statistics(const std::vector<double>& values, DeviationKind kind);

std::optional<double> mean_of(const std::optional<Statistics>& figure);
std::optional<double> deviation_of(const std::optional<Statistics>& figure);

enum class RunStatus { success, partial, not_a_number, no_steps };

template <>
struct EnumNames<RunStatus> {
  static constexpr std::array rows{std::pair{std::string_view("Success"), RunStatus::success},
                                   std::pair{std::string_view("Partial"), RunStatus::partial},
                                   std::pair{std::string_view("NaN"), RunStatus::not_a_number},
                                   std::pair{std::string_view("No steps"), RunStatus::no_steps}};
};

/// What a run achieved. Figures whose facts are not known are left out.
struct RunMetrics {
  RunStatus status{};
  std::string why;  ///< of a status other than Success
  std::optional<Statistics> step_time_s;
  std::optional<Statistics> logged_tflops;  ///< TFLOP/s of one GPU, as the framework counted
  std::optional<double> tokens_per_s;
  std::optional<double> tokens_per_s_per_gpu;
  std::optional<double> days_per_1t_tokens;
  MfuConvention convention{};
  std::optional<double> flops_per_sample;
  std::optional<double> tflops_per_gpu;  ///< from step time and FLOPs of the model
  std::optional<double> peak_tflops_per_gpu;
  std::optional<double> mfu;  ///< of `tflops_per_gpu`, without it of what is logged; at most 1
  std::vector<std::string> missing;  ///< figures that are left out, and why
};

/// Status:
///
/// - No steps: the window holds none.
/// - NaN: a loss or gradient norm of the window is NaN or infinite.
/// - Partial: the log ends before the window does, or other steps replace one that holds fewer
///   than two.
///
/// tokens/s, TFLOP/s and MFU follow from the mean step time by the formulas of
/// sim/run/figures/metrics.h.
RunMetrics run_metrics(const MeasuredRun& run, const RunFacts& facts);

/// Which window the steps of a run are of, and why that one: "steps 11 to 44, the window of
/// parse-train-timing".
std::string window_text(const MeasuredRun& run);

}  // namespace simtrain
