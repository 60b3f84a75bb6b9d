#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/watch.h"
#include "sim/run/results/report.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// A training run that is asked about.
struct TrainingGoal {
  double tokens = 1e12;
  std::optional<double> usd_per_gpu_hour;
};

/// What a training run of `tokens` takes at a steady step time, without stops and restarts.
struct TrainingRun {
  double days = 0;
  double gpu_hours = 0;
  std::optional<double> usd;  ///< where a price of a GPU hour is given
};
TrainingRun training_run(const Report& report, double tokens, std::optional<double> usd_per_hour);

/// How the global batch follows the number of GPUs: with it, or not at all.
enum class Scaling { weak, strong };

template <>
struct EnumNames<Scaling> {
  static constexpr std::array rows{std::pair{std::string_view("weak"), Scaling::weak},
                                   std::pair{std::string_view("strong"), Scaling::strong}};
};

struct ScaleRequest {
  std::string row;  ///< of the scenario's table
  std::vector<Setting> settings;
  std::vector<int> gpus;
  Scaling mode{};
};

/// One size of a scaling study; without a report where the plan is illegal on it.
struct ScaleRow {
  int gpus = 0;
  std::int64_t global_batch = 0;  ///< 0 where it would be no whole number
  std::optional<Report> report;
  std::string refusal;    ///< why there is no report
  double efficiency = 0;  ///< tokens/s of a GPU over those of the first size with a report
};

/// Simulates a scenario on each number of GPUs: its plan stays and DP follows. Weak scaling keeps
/// the scenario's samples per GPU. Throws InputError where the scenario itself is wrong.
std::vector<ScaleRow> scale(const DataFolder& data, const ScenarioSource& source,
                            const ScaleRequest& request, const Watch& watch = {});

/// `settings` with the number of nodes that has so many GPUs. Throws InputError at `option` where
/// that is no whole number of nodes.
std::vector<Setting> on_gpus(std::vector<Setting> settings, int gpus, int gpus_per_node,
                             const std::string& option);

}  // namespace simtrain
