#pragma once

#include <string>
#include <vector>

#include "sim/study/what_if/explain.h"
#include "sim/study/what_if/goodput.h"

namespace simtrain {

/// Whether a change is one of keys of the scenario, or of what machines and operators do.
enum class AdviceKind { setting, condition };

template <>
struct EnumNames<AdviceKind> {
  static constexpr std::array rows{std::pair{std::string_view("setting"), AdviceKind::setting},
                                   std::pair{std::string_view("condition"), AdviceKind::condition}};
};

/// A change that saves days or money of a job. Savings are what the job as it is takes less what
/// the changed one takes for as many steps, both in the mean of runs that meet the same failures;
/// negative where one is saved at the price of the other.
struct JobAdvice {
  AdviceKind kind{};
  std::string change;                 ///< "precision: bf16 -> fp8", "spare_nodes 8"
  std::vector<std::string> settings;  ///< that make it, as `--set` takes them; of a setting
  double step_time_s = 0;
  double goodput = 0;
  double elapsed_s = 0;  ///< for the steps of the job as it is
  double saved_s = 0;
  double saved_gpu_hours = 0;  ///< spares with them
  double saved_usd = 0;        ///< GPU hours and electricity, as far as they have prices
};

/// What to change of a job and of its step.
struct AdvisedJob {
  Explanation why;  ///< of the step
  Goodput goodput;
  int runs = 0;                   ///< of each change
  std::vector<JobAdvice> advice;  ///< by days saved, then by price, then by GPU hours
  int refused = 0;                ///< changes of the step that make no legal job
};

/// The least share of days, price or GPU hours that advice saves: less is chance, at kTriedRuns
/// runs.
inline constexpr double kRealGain = 1e-3;

/// What a job's own changes come to, without those of its step; none where none were tried.
std::vector<JobAdvice> job_advice(const Goodput& goodput);

struct AdviceWatches {
  Watch steps{};
  Watch states{};
  Watch runs{};
  Watch jobs{};
};

/// Simulates a scenario's job with what would help it: each knob of the step by which it gets
/// faster and fits, each cost without which it is faster (`explain`), as the whole job of the
/// changed scenario with checkpoints, states and failures of its own; the interval between
/// checkpoints with most goodput, the numbers of spares with least GPU hours and with least days,
/// what else operators change (`goodput`). `simulated` is the scenario's step. Throws InputError
/// where the job cannot be simulated.
AdvisedJob advised_job(const ExplainRequest& request, const SimulatedStep& simulated,
                       const JobInputs& inputs, const AdviceWatches& watches = {});

}  // namespace simtrain
