#include "sim/run/engine/pass_flows.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace simtrain {

std::uint32_t PassFlows::fresh() {
  if (free_.empty()) {
    runs_.emplace_back();
    return static_cast<std::uint32_t>(runs_.size() - 1);
  }
  const std::uint32_t run = free_.back();
  free_.pop_back();
  return run;
}

std::uint32_t PassFlows::start(std::uint32_t activity, FlowNetwork::RouteId route,
                               const InnerTraffic& traffic, std::size_t kind, double pass_s) {
  const std::uint32_t run = fresh();
  const Duty duty = traffic.duty(static_cast<std::uint32_t>(kind), pass_s);
  const double limit = network_.limit_of(route, traffic.rate());
  runs_[run] = {activity, network_.add(route, limit, kTag | run, duty), limit, duty, 0};
  return run;
}

void PassFlows::end(std::span<const std::uint32_t> runs) {
  for (const std::uint32_t run : runs) {
    network_.remove(runs_[run].flow);
    free_.push_back(run);
  }
}

std::uint32_t PassFlows::take(const FlowNetwork::RateChange& change) {
  Run& run = runs_[change.tag & ~kTag];
  run.loss = run.duty.slowdown(run.limit / change.rate) - 1;
  return run.activity;
}

double PassFlows::loss(std::span<const std::uint32_t> runs) const {
  std::array<double, kInnerKinds> lost{};
  for (const std::uint32_t run : runs) {
    double& most = lost[runs_[run].duty.kind];
    most = std::max(most, runs_[run].loss);
  }
  return std::accumulate(lost.begin(), lost.end(), 0.0);
}

}  // namespace simtrain
