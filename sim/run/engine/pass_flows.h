#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/run/engine/flow_network.h"
#include "sim/run/engine/period/state_words.h"

namespace simtrain {

/// The flows in the network of the transfers inside running passes: one for each group of a pass
/// whose links may be too small (Group::inner), numbered by runs.
class PassFlows {
 public:
  explicit PassFlows(FlowNetwork& network) : network_(network) {}

  /// Starts a flow of the traffic inside a pass that takes `pass_s` seconds alone; `kind` is its
  /// place in inner_kinds(). Returns the run.
  std::uint32_t start(std::uint32_t activity, FlowNetwork::RouteId route,
                      const InnerTraffic& traffic, std::size_t kind, double pass_s);
  /// Ends the runs of a pass.
  void end(std::span<const std::uint32_t> runs);

  /// Whether a rate change of the network is one of these flows.
  [[nodiscard]] static bool owns(std::uint32_t tag) { return (tag & kTag) != 0; }
  /// Takes the change; returns the activity of the pass.
  std::uint32_t take(const FlowNetwork::RateChange& change);

  /// What is known of the runs of a pass, to be compared; appends their flows.
  void describe(std::span<const std::uint32_t> runs, StateWords& words,
                std::vector<FlowNetwork::FlowId>& flows) const {
    for (const std::uint32_t run : runs) {
      words.add(runs_[run].loss);
      flows.push_back(runs_[run].flow);
    }
  }
  /// What a pass loses now to flows that share its links, as a share of its time alone: of each
  /// kind the slowest group counts.
  [[nodiscard]] double loss(std::span<const std::uint32_t> runs) const;

 private:
  static constexpr std::uint32_t kTag = 0x80000000U;
  struct Run {
    std::uint32_t activity = 0;
    FlowNetwork::FlowId flow = 0;
    double limit = 0;
    Duty duty{};
    double loss = 0;  ///< of the pass now, as a share of its time alone
  };
  std::uint32_t fresh();

  FlowNetwork& network_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> free_;
};

}  // namespace simtrain
