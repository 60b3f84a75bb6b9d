#include "sim/run/changing/changing_step.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sim/run/changing/step_in_states.h"
#include "sim/run/step/planned_step.h"
#include "sim/topology/fault_times.h"

namespace simtrain {
namespace {

/// The steps of a run one after the other. Those that one state of the cluster covers take equally
/// long and are simulated once.
class RunOfSteps {
 public:
  RunOfSteps(const Scenario& scenario, const SimulateOptions& options, Duration first)
      : scenario_(scenario),
        options_(options),
        faults_(scenario.cluster.faults),
        edges_(fault_edges(faults_, Duration(0))),
        usual_(length_with(permanent_faults(faults_))) {
    if (next_edge() == Duration::max()) {
      add(0, first);
      return;
    }
    add(1, first);
    while (next_edge() < Duration::max()) go_on();
    add(0, length_in_state());
  }
  [[nodiscard]] std::vector<StepsInRow> take() { return std::move(rows_); }

 private:
  [[nodiscard]] Duration next_edge() const {
    const auto next = std::upper_bound(edges_.begin(), edges_.end(), now_);
    return next == edges_.end() ? Duration::max() : *next;
  }
  void go_on() {
    const Duration length = length_in_state();
    const std::int64_t whole = (next_edge() - now_) / length;
    if (whole > 0) {
      add(whole, length);
    } else {
      add(1, step_in_states(scenario_, options_, now_).timeline.end);
    }
  }
  [[nodiscard]] Duration length_with(const ClusterFaults& faults) const {
    Scenario as_if = scenario_;
    as_if.cluster.faults = faults;
    return simulate_steady_step(as_if, options_).timeline.end;
  }
  /// Of a step while nothing changes.
  Duration length_in_state() {
    const std::vector<bool> held = holding_at(faults_, now_);
    const auto [entry, fresh] = lengths_.try_emplace(held, Duration(0));
    if (fresh) entry->second = length_with(faults_at(faults_, now_));
    return entry->second;
  }
  void add(std::int64_t count, Duration length) {
    const double start = to_seconds(now_);
    const double seconds = to_seconds(length);
    const bool same = !rows_.empty() && rows_.back().step_time_s == seconds;
    if (same) {
      rows_.back().count = count == 0 ? 0 : rows_.back().count + count;
    } else {
      rows_.push_back({steps_ + 1, count, start, seconds, seconds - to_seconds(usual_)});
    }
    steps_ += count;
    now_ += count * length;
  }

  const Scenario& scenario_;
  SimulateOptions options_;
  const ClusterFaults& faults_;
  std::vector<Duration> edges_;
  Duration usual_;
  std::map<std::vector<bool>, Duration> lengths_;
  Duration now_{};
  std::int64_t steps_ = 0;
  std::vector<StepsInRow> rows_;
};

/// Links are known by the graph; the message names each by its place among all.
void refuse_unknown_links(ClusterSpec spec, const SimulateOptions& options) {
  if (spec.faults.links.empty()) return;
  spec.faults = faults_in_place_at(spec.faults, Duration(0));
  for (LinkFault& link : spec.faults.links) link.bandwidth_share = 1;
  static_cast<void>(cluster_for(spec, options.clusters));
}

}  // namespace

SimulatedStep simulate_changing_step(const Scenario& scenario, const SimulateOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  refuse_unknown_links(scenario.cluster, options);
  SimulatedStep step = step_in_states(scenario, options, Duration(0));
  SimulateOptions quiet = options;
  quiet.watch = {};
  step.in_row = RunOfSteps(scenario, quiet, step.timeline.end).take();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  step.wall_s = taken.count();
  return step;
}

}  // namespace simtrain
