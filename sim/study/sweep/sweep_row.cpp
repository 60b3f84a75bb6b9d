#include "sim/study/sweep/sweep_row.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/core/json_text.h"
#include "sim/core/printable.h"
#include "sim/run/engine/executor.h"
#include "sim/run/simulate.h"

namespace simtrain {
namespace {

using Json = nlohmann::json;

std::string does_not_fit(const SweepRow& row) {
  return fmt::format("the fullest stage needs {:.1f} GB of {:.1f} GB", row.total_bytes / 1e9,
                     row.capacity_bytes / 1e9);
}

void add_figures(SweepRow& row, const Report& report) {
  row.status = report.fits() ? SweepStatus::ok : SweepStatus::does_not_fit;
  row.step_time_s = report.step_time_s;
  row.step_time_interval = report.step_time_interval();
  row.tokens_per_s = report.tokens_per_s;
  row.tflops_per_gpu = report.tflops_per_gpu;
  row.mfu = report.mfu;
  row.joules_per_token = report.energy.joules_per_token();
  row.usd_per_1t_tokens = report.energy.usd_per_1t_tokens();
  // Whole bytes, as tables hold them: shards of uneven groups have fractions in the mean.
  row.peak_bytes = std::round(report.peak_bytes());
  for (const StageMemory& stage : report.memory)
    row.total_bytes = std::max(row.total_bytes, std::round(stage.total()));
  row.capacity_bytes = std::round(report.memory_capacity);
  row.breakdown = report.breakdown;
  row.fingerprint = number_as<std::uint64_t>(report.engine.fingerprint, 16).value();
  if (row.status == SweepStatus::does_not_fit) row.reason = does_not_fit(row);
}

/// As much of a reason as people read.
std::string printed_part(std::string reason) {
  constexpr std::size_t kMost = 4000;
  if (reason.size() <= kMost) return reason;
  return reason.substr(0, cut_before(reason, kMost)) + "...";
}

/// A count as it was written: no fraction, no sign, no more than the type holds.
template <class T>
T count_of(const Json& json) {
  if (!json.is_number_unsigned() ||
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
    throw std::invalid_argument("a count that is no whole number of its type");
  return json.get<T>();
}

}  // namespace

SweepRow answered(SweepRow row, const std::function<Report(SweepRow&)>& simulation) {
  try {
    add_figures(row, simulation(row));
  } catch (const InputError& error) {
    row.status = SweepStatus::illegal;
    row.reason = printed_part(error.reason());
  } catch (const StuckProgram& error) {
    row.status = SweepStatus::failed;
    row.reason = printed_part(error.what());
  }
  return row;
}

SweepRow evaluate(const SweepQuestion& question, std::uint64_t candidate) {
  std::vector<Setting> settings = question.settings;
  for (Setting& varied : question.grid.settings(candidate)) settings.push_back(std::move(varied));
  return answered({.index = candidate}, [&](SweepRow& row) {
    const Scenario scenario = question.source.scenario(question.data, question.row, settings);
    const Recipe& recipe = scenario.recipe;
    row.gpus = scenario.gpus();
    row.dp = row.gpus / (recipe.tp() * recipe.pp() * recipe.cp());
    return simulate(scenario, {false, question.clusters.get()});
  });
}

std::string record_of(const SweepRow& row) {
  Json figures = Json::array();
  if (row.simulated()) {
    figures = {row.step_time_s,
               row.step_time_interval.low,
               row.step_time_interval.high,
               row.tokens_per_s,
               row.tflops_per_gpu,
               row.mfu,
               row.peak_bytes,
               row.total_bytes,
               row.capacity_bytes,
               row.breakdown,
               row.fingerprint,
               row.joules_per_token,
               row.usd_per_1t_tokens};
  }
  const Json record{row.index,         static_cast<int>(row.status), row.gpus, row.dp, row.reason,
                    std::move(figures)};
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SweepRow row_of(std::string_view record) {
  try {
    const Json json = parse_json(record);
    if (json.size() != 6) throw std::invalid_argument("six parts make a record");
    SweepRow row;
    row.index = count_of<std::uint64_t>(json[0]);
    const auto status = count_of<std::size_t>(json[1]);
    if (status >= kSweepStatuses) throw std::invalid_argument("an unknown status");
    row.status = static_cast<SweepStatus>(status);
    row.gpus = count_of<int>(json[2]);
    row.dp = count_of<int>(json[3]);
    row.reason = json[4].get<std::string>();
    const Json& figures = json[5];
    if (figures.size() != (row.simulated() ? 13 : 0))
      throw std::invalid_argument("another number of figures");
    if (!row.simulated()) return row;
    row.step_time_s = figures[0].get<double>();
    row.step_time_interval = {figures[1].get<double>(), figures[2].get<double>()};
    row.tokens_per_s = figures[3].get<double>();
    row.tflops_per_gpu = figures[4].get<double>();
    row.mfu = figures[5].get<double>();
    row.peak_bytes = figures[6].get<double>();
    row.total_bytes = figures[7].get<double>();
    row.capacity_bytes = figures[8].get<double>();
    row.breakdown = figures[9].get<Breakdown>();
    row.fingerprint = count_of<std::uint64_t>(figures[10]);
    row.joules_per_token = figures[11].get<double>();
    row.usd_per_1t_tokens = figures[12].get<double>();
    return row;
  } catch (const Json::exception& error) {
    throw std::invalid_argument(error.what());
  }
}

TaskList sweep_tasks(const SweepQuestion& question) {
  return {question.grid.size(),
          [&question](std::uint64_t candidate) { return record_of(evaluate(question, candidate)); },
          [](std::string_view record) { return row_of(record).index; }};
}

}  // namespace simtrain
