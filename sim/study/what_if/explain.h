#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/threads/parallel_each.h"
#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// What the critical path does on one pipeline stage, in seconds.
struct PathStage {
  int stage = 0;
  double forward_s = 0;
  double backward_s = 0;  ///< with deferred weight gradients
  double other_s = 0;     ///< gradient norm and optimizer
  double communication_s = 0;

  [[nodiscard]] double total_s() const {
    return forward_s + backward_s + other_s + communication_s;
  }
};

/// The critical path across ranks: its time by stage, which sums to the step, and how often it goes
/// from one stage to another.
struct PathSummary {
  std::vector<PathStage> stages;  ///< those it touches, in their order
  std::int64_t moves = 0;
};

PathSummary summarize_path(const Plan& plan, const Timeline& timeline);

enum class ChangeKind { knob, cost_removed };

template <>
struct EnumNames<ChangeKind> {
  static constexpr std::array rows{
      std::pair{std::string_view("knob"), ChangeKind::knob},
      std::pair{std::string_view("cost_removed"), ChangeKind::cost_removed}};
};

/// The same step with one thing changed, simulated anew.
struct ChangeResult {
  ChangeKind kind{};
  std::string name;  ///< "VP"
  std::string from;  ///< "9"; empty where a cost is removed
  std::string to;    ///< "3"
  double step_time_s = 0;
  double relative = 0;  ///< step time over that of the scenario, less one
  double mfu = 0;
  bool fits = false;  ///< in memory
  /// What makes the scenario this one: settings as `--set` takes them, numbers of `hardware/`.
  std::vector<std::string> settings;
  std::vector<NumberOverride> numbers;
};

struct Explanation {
  double step_time_s = 0;
  PathSummary path;
  /// What is left after what makes no legal scenario: what fits in memory first, then by step time.
  std::vector<ChangeResult> changes;
  int refused = 0;  ///< changes that make no legal scenario
};

/// Which scenario is explained, as given to a command.
struct ExplainRequest {
  const ScenarioSource& source;
  const DataFolder& data;
  std::string row;
  std::vector<Setting> settings;
};

/// Simulates the scenario again with each knob one legal step up and down, and without each cost
/// that a number of `hardware/` sets, in parallel. `simulated` is the scenario itself.
Explanation explain(const ExplainRequest& request, const SimulatedStep& simulated,
                    const Watch& watch = {});

}  // namespace simtrain
