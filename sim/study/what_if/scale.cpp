#include "sim/study/what_if/scale.h"

#include <fmt/format.h>

#include "sim/core/quantity.h"
#include "sim/core/threads/parallel_each.h"
#include "sim/run/simulate.h"

namespace simtrain {
namespace {

Setting setting(const std::string& key, std::int64_t value, const std::string& option) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.place = {option};
  node.text = fmt::format("{}", value);
  return {key, {option}, std::move(node)};
}

std::int64_t batch_on(const Scenario& scenario, int gpus, Scaling mode) {
  const std::int64_t batch = scenario.recipe.training.global_batch_size;
  if (mode == Scaling::strong) return batch;
  const std::int64_t samples = batch * gpus;
  if (samples % scenario.gpus() != 0)
    throw InputError({}, "",
                     fmt::format("{} samples for {} GPUs are no whole number for {}", batch,
                                 scenario.gpus(), gpus));
  return samples / scenario.gpus();
}

}  // namespace

TrainingRun training_run(const Report& report, double tokens, std::optional<double> usd_per_hour) {
  TrainingRun run;
  const double hours = tokens / report.tokens_per_s / kSecondsPerHour;
  run.days = hours / 24;
  run.gpu_hours = hours * report.gpus;
  if (usd_per_hour) run.usd = run.gpu_hours * *usd_per_hour;
  return run;
}

std::vector<Setting> on_gpus(std::vector<Setting> settings, int gpus, int gpus_per_node,
                             const std::string& option) {
  if (gpus % gpus_per_node != 0)
    throw InputError(
        {}, option, fmt::format("{} are no whole number of nodes of {} GPUs", gpus, gpus_per_node));
  settings.push_back(setting("cluster.nodes", gpus / gpus_per_node, option));
  return settings;
}

std::vector<ScaleRow> scale(const DataFolder& data, const ScenarioSource& source,
                            const ScaleRequest& request, const Watch& watch) {
  const Scenario base = source.scenario(data, request.row, request.settings);
  std::vector<ScaleRow> rows(request.gpus.size());
  const auto simulate_row = [&](std::size_t i) {
    ScaleRow& row = rows[i];
    row.gpus = request.gpus[i];
    try {
      row.global_batch = batch_on(base, row.gpus, request.mode);
      std::vector<Setting> settings =
          on_gpus(request.settings, row.gpus, base.cluster.node.gpus, "--gpus");
      if (request.mode == Scaling::weak)
        settings.push_back(setting("training.global_batch_size", row.global_batch, "--mode weak"));
      row.report = simulate(source.scenario(data, request.row, settings));
    } catch (const InputError& refusal) {
      row.refusal = refusal.what();
    }
  };
  parallel_each(rows.size(), simulate_row, watch);
  double first = 0;
  for (ScaleRow& row : rows) {
    if (!row.report) continue;
    const double each = row.report->tokens_per_s / row.report->gpus;
    if (first == 0) first = each;
    row.efficiency = each / first;
  }
  return rows;
}

}  // namespace simtrain
