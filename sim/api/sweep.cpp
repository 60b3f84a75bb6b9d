#include <algorithm>
#include <atomic>
#include <numeric>
#include <stop_token>

#include <fmt/format.h>

#include "sim/api/access.h"
#include "sim/api/checks.h"
#include "sim/api/errors.h"
#include "sim/api/figures.h"
#include "sim/study/sweep/sweep_row.h"
#include "sim/study/tasks/run_tasks.h"

namespace simtrain::api {
namespace {

SweepRequest request_of(const Scenario& scenario, const std::vector<Axis>& axes) {
  const auto& content = Access::of(scenario);
  content.check_row();
  SweepRequest request{content.file, content.row, content.settings, {}};
  for (const Axis& axis : axes) request.varied.push_back(parse_axis(axis.key + "=" + axis.values));
  return request;
}

SweepQuestion question_of(const Scenario& scenario, const std::vector<Axis>& axes) {
  const auto& content = Access::of(scenario);
  return sweep_question(Access::of(content.data).folder, content.source,
                        request_of(scenario, axes));
}

SweepStatus status_of(simtrain::SweepStatus status) {
  switch (status) {
    case simtrain::SweepStatus::ok:
      return SweepStatus::ok;
    case simtrain::SweepStatus::does_not_fit:
      return SweepStatus::does_not_fit;
    case simtrain::SweepStatus::illegal:
      return SweepStatus::illegal;
    case simtrain::SweepStatus::failed:
      break;
  }
  return SweepStatus::failed;
}

std::vector<std::pair<std::string, std::string>> values_of(const SweepGrid& grid,
                                                           std::uint64_t candidate) {
  std::vector<std::pair<std::string, std::string>> values;
  const std::vector<std::size_t> choice = grid.choice(candidate);
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const SweepAxis& axis = grid.axes()[i];
    values.emplace_back(axis.column, axis.texts[choice[i]]);
  }
  return values;
}

SweepRow row_of(const SweepGrid& grid, const simtrain::SweepRow& row) {
  SweepRow result;
  result.index = row.index;
  result.values = values_of(grid, row.index);
  result.status = status_of(row.status);
  result.reason = row.reason;
  result.gpus = row.gpus;
  result.data_parallel_size = row.dp;
  if (!row.simulated()) return result;
  result.step_time_s = row.step_time_s;
  result.step_time_interval = {row.step_time_interval.low, row.step_time_interval.high};
  result.tokens_per_s = row.tokens_per_s;
  result.tflops_per_gpu = row.tflops_per_gpu;
  result.mfu = row.mfu;
  result.peak_bytes = row.peak_bytes;
  result.total_bytes = row.total_bytes;
  result.memory_capacity_bytes = row.capacity_bytes;
  result.breakdown = shares_of(row.breakdown);
  result.fingerprint = fmt::format("{:016x}", row.fingerprint);
  return result;
}

}  // namespace

std::size_t sweep(const Scenario& scenario, const std::vector<Axis>& axes,
                  const SweepCallback& callback, const SweepOptions& options) {
  return guarded([&] {
    const int threads = checked_threads(options.threads);
    const SweepQuestion question = question_of(scenario, axes);
    std::vector<std::uint64_t> candidates(question.grid.size());
    std::iota(candidates.begin(), candidates.end(), 0);
    std::atomic<int> stop = 0;
    const std::stop_callback on_stop(options.stop, [&] { stop = 1; });
    std::size_t done = 0;
    const TaskSink sink = [&](const std::string& record) {
      callback(row_of(question.grid, simtrain::row_of(record)));
      ++done;
    };
    run_tasks(sweep_tasks(question), {std::move(candidates), threads, &stop, sink, [] {}});
    return done;
  });
}

std::vector<SweepRow> sweep(const Scenario& scenario, const std::vector<Axis>& axes,
                            const SweepOptions& options) {
  std::vector<SweepRow> rows;
  sweep(
      scenario, axes, [&](const SweepRow& row) { rows.push_back(row); }, options);
  std::sort(rows.begin(), rows.end(),
            [](const SweepRow& a, const SweepRow& b) { return a.index < b.index; });
  return rows;
}

std::uint64_t sweep_size(const Scenario& scenario, const std::vector<Axis>& axes) {
  return guarded(
      [&] { return sweep_grid(Access::of(scenario).source, request_of(scenario, axes)).size(); });
}

const SweepRow* fastest(const std::vector<SweepRow>& rows) {
  const SweepRow* best = nullptr;
  for (const SweepRow& row : rows) {
    if (row.status != SweepStatus::ok) continue;
    if (best == nullptr || row.step_time_s < best->step_time_s) best = &row;
  }
  return best;
}

}  // namespace simtrain::api
