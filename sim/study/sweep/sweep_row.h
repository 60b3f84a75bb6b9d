#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sim/run/results/report.h"
#include "sim/study/sweep/sweep_question.h"
#include "sim/study/tasks/task_list.h"

namespace simtrain {

/// What came of a candidate: `illegal` is a combination that cannot be a job, `failed` one whose
/// plan can never finish (a fault of the program, not of the question).
enum class SweepStatus { ok, does_not_fit, illegal, failed };

template <>
struct EnumNames<SweepStatus> {
  static constexpr std::array rows{
      std::pair{std::string_view("ok"), SweepStatus::ok},
      std::pair{std::string_view("does_not_fit"), SweepStatus::does_not_fit},
      std::pair{std::string_view("illegal"), SweepStatus::illegal},
      std::pair{std::string_view("failed"), SweepStatus::failed}};
};
inline constexpr std::size_t kSweepStatuses = EnumNames<SweepStatus>::rows.size();

/// One candidate, answered. Figures are 0 where there are none (illegal, failed).
struct SweepRow {
  std::uint64_t index = 0;  ///< of the candidate in the grid
  SweepStatus status{};
  int gpus = 0;
  int dp = 0;
  double step_time_s = 0;
  Interval step_time_interval{};
  double tokens_per_s = 0;
  double tflops_per_gpu = 0;
  double mfu = 0;
  double joules_per_token = 0;
  double usd_per_1t_tokens = 0;  ///< 0 where the scenario gives no price
  double peak_bytes = 0;         ///< allocator peak of the fullest stage
  double total_bytes = 0;        ///< of the fullest stage, with what lies outside the allocator
  double capacity_bytes = 0;     ///< of the GPU
  Breakdown breakdown{};
  std::uint64_t fingerprint = 0;  ///< of the simulation
  std::string reason{};           ///< why not: of all but `ok`

  [[nodiscard]] bool simulated() const {
    return status == SweepStatus::ok || status == SweepStatus::does_not_fit;
  }
};

/// A row with what came of its simulation: the figures of the report, or why there is none.
SweepRow answered(SweepRow row, const std::function<Report(SweepRow&)>& simulation);

/// Answers one candidate: the same row whoever asks, in whatever order.
SweepRow evaluate(const SweepQuestion& question, std::uint64_t candidate);

/// A row as one line of text, for journals and messages; every figure comes back as it was.
std::string record_of(const SweepRow& row);

/// Throws std::invalid_argument where the text is no record of a row.
SweepRow row_of(std::string_view record);

/// The candidates of a question as tasks; it outlives them.
TaskList sweep_tasks(const SweepQuestion& question);

}  // namespace simtrain
