#include "sim/study/what_if/scale.h"

#include <cmath>

#include <fmt/format.h>
#include <simtrain/study.h>

#include "sim/api/access.h"
#include "sim/api/checks.h"
#include "sim/api/errors.h"
#include "sim/api/figures.h"
#include "sim/output/sweep/scale_report.h"

namespace simtrain::api {
namespace {

ScaleRow row_of(const ScaleHead& head, const simtrain::ScaleRow& row) {
  ScaleRow result;
  result.gpus = row.gpus;
  result.illegal = row.refusal;
  if (!row.report) return result;
  const Report& report = *row.report;
  const TrainingRun run = training_run(report, head.tokens, head.usd_per_gpu_hour);
  result.global_batch_size = row.global_batch;
  result.step_time_s = report.step_time_s;
  result.tokens_per_s = report.tokens_per_s;
  result.mfu = report.mfu;
  result.efficiency = row.efficiency;
  result.fits = report.fits();
  result.days = run.days;
  result.gpu_hours = run.gpu_hours;
  result.cost_usd = run.usd.value_or(0);
  result.joules_per_token = report.energy.joules_per_token();
  result.breakdown = shares_of(report.breakdown);
  return result;
}

void check(const std::vector<int>& gpus, const ScaleOptions& options) {
  if (gpus.empty()) throw simtrain::InputError({}, "gpus", "names no size");
  checked_sizes(gpus);
  if (!(options.tokens > 0 && std::isfinite(options.tokens)))
    throw simtrain::InputError({}, "tokens", "must be more than 0, and finite");
  checked_price(options.usd_per_gpu_hour);
}

}  // namespace

ScaleResult scale(const Scenario& scenario, const std::vector<int>& gpus,
                  const ScaleOptions& options, const Progress& progress) {
  return guarded([&] {
    check(gpus, options);
    const auto& content = Access::of(scenario);
    content.check_row();
    const simtrain::DataFolder& data = Access::of(content.data).folder;
    const auto mode =
        options.mode == Scaling::weak ? simtrain::Scaling::weak : simtrain::Scaling::strong;
    const simtrain::Scenario draft =
        content.source.draft(data, content.row, content.settings).scenario;
    ScaleHead head{draft.name, mode, options.tokens, {}, changes_of(draft)};
    if (options.usd_per_gpu_hour > 0) head.usd_per_gpu_hour = options.usd_per_gpu_hour;
    const std::vector<simtrain::ScaleRow> rows = simtrain::scale(
        data, content.source, {content.row, content.settings, gpus, mode}, progress);
    ScaleResult result;
    result.rows.reserve(rows.size());
    for (const simtrain::ScaleRow& row : rows) result.rows.push_back(row_of(head, row));
    result.json = scale_json(head, rows);
    return result;
  });
}

}  // namespace simtrain::api
