#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/core/event_queue.h"
#include "sim/run/engine/bursts.h"
#include "sim/run/engine/flow_network.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// The links of a plan's groups as routes of a network, and those that transfers inside passes load
/// by other shares than the call as which their kind counts (Burst::load).
class BurstRoutes {
 public:
  BurstRoutes(const Plan& plan, const PlanBursts& bursts);
  BurstRoutes(const BurstRoutes&) = delete;
  BurstRoutes& operator=(const BurstRoutes&) = delete;
  ~BurstRoutes() = default;

  /// By route. The first has no links; then those of each group, followed by its link sets.
  [[nodiscard]] const std::vector<const std::vector<LinkShare>*>& all() const { return routes_; }
  [[nodiscard]] FlowNetwork::RouteId first_of(std::size_t group) const { return first_[group]; }
  /// That of a flow inside passes for a transfer of this load.
  [[nodiscard]] FlowNetwork::RouteId of(const InnerFlow& flow, double load) const;

 private:
  void add_scaled(const InnerFlow& flow, double load);

  const Plan& plan_;
  const std::vector<LinkShare> no_links_;
  std::vector<const std::vector<LinkShare>*> routes_;
  std::vector<FlowNetwork::RouteId> first_;
  std::map<std::pair<FlowNetwork::RouteId, double>, FlowNetwork::RouteId> scaled_;
  std::vector<std::vector<LinkShare>> links_;  ///< of those, kept
};

/// The flows in the network of the transfers inside running stretches that run one by one (Bursts),
/// numbered by stretches.
class StretchFlows {
 public:
  StretchFlows(const BurstRoutes& routes, FlowNetwork& network)
      : routes_(&routes), network_(network) {}

  /// Forgets all that move, with the network that they are in; others take the routes.
  void restart(const BurstRoutes& routes);

  /// Begins a stretch; each transfer has a flow for each of the group's inner flows of its kind.
  std::uint32_t begin(std::uint32_t activity, const Bursts& bursts, const Group& group);
  /// See BurstRun.
  [[nodiscard]] double next_s(std::uint32_t stretch, double end_s) const {
    return stretches_[stretch].progress.next_s(end_s);
  }
  [[nodiscard]] bool stalled(std::uint32_t stretch) const {
    return stretches_[stretch].progress.stalled();
  }
  [[nodiscard]] bool over(std::uint32_t stretch) const {
    return stretches_[stretch].progress.over();
  }
  void reach(std::uint32_t stretch, Duration now);
  void end(std::uint32_t stretch) { free_stretches_.push_back(stretch); }

  /// A stretch, and all that moves, to be compared: numbers of activities by activity. Appends the
  /// flows.
  void describe(std::uint32_t stretch, StateWords& words) const;
  void describe(const std::vector<std::uint32_t>& number, Duration now, StateWords& words,
                std::vector<FlowNetwork::FlowId>& flows) const;
  /// All that moves does so much later.
  void shift(Duration by);

  /// Whether nothing moves.
  [[nodiscard]] bool idle() const { return queue_.empty(); }
  /// When the next flow ends; idle, never.
  [[nodiscard]] Duration next_time() const { return idle() ? Duration::max() : queue_.next_time(); }
  /// Ends those that do now. Returns the activities of stretches that stood and go on.
  const std::vector<std::uint32_t>& finish_due(Duration now);

  /// Whether a rate change of the network is one of these flows.
  [[nodiscard]] static bool owns(std::uint32_t tag) { return (tag & kTag) != 0; }
  void take(const FlowNetwork::RateChange& change, Duration now);

 private:
  static constexpr std::uint32_t kTag = 0x40000000U;
  struct Stretch {
    std::uint32_t activity = 0;
    const Group* group = nullptr;
    BurstRun progress;
    std::vector<std::uint32_t> moving;  ///< by burst: its flows that have not ended
  };
  struct Flow {
    FlowNetwork::FlowId id = 0;
    std::uint32_t stretch = 0;
    std::uint32_t burst = 0;
    Duration updated{};  ///< up to when `left` is true, not before its latency is over
    double left = 0;     ///< wire bytes
    double rate = 0;
  };
  void start_all(std::uint32_t stretch, Duration now);
  void start(std::uint32_t stretch, std::uint32_t burst, const InnerFlow& inner, Duration now);
  void finish(std::uint32_t flow, Duration now);

  const BurstRoutes* routes_;
  FlowNetwork& network_;
  std::vector<Stretch> stretches_;
  std::vector<std::uint32_t> free_stretches_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_flows_;
  EventQueue queue_;                    ///< of flows
  std::vector<std::uint32_t> started_;  ///< bursts
  std::vector<std::uint32_t> resumed_;
};

}  // namespace simtrain
