#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "sim/topology/graph/link_sharing.h"
#include "sim/workload/kernels/inner_traffic.h"

namespace simtrain {

/// The flows that run now and their max-min fair rates, kept up to date as flows come and go.
/// Flows of links that are not asked for more than they have run at their limits; only where a link
/// is overloaded the solver is asked, for the flows connected to it.
///
/// A flow that comes and goes (that of the transfers inside a pass) has the rate that it gets while
/// it moves; the others beside it have the mean of their rates with it and without it, by the share
/// of time for which it holds its links. Such flows of unlike kinds do not meet.
///
/// All routes are known beforehand. Links that every route takes alike, in equal shares, are one
/// link with the least of their capacities: the others can neither be full first nor alone.
///
/// A step repeats itself: what a few flows that meet get is solved once and looked up afterwards.
class FlowNetwork {
 public:
  using FlowId = std::uint32_t;
  using RouteId = std::uint32_t;

  /// `capacities` by link id, in bytes per second; `routes` by RouteId, each link of one once.
  FlowNetwork(const std::vector<double>& capacities,
              const std::vector<const std::vector<LinkShare>*>& routes);

  /// A flow of at most `limit` bytes per second; with `duty` one that comes and goes. `tag` is
  /// handed back with rate changes.
  FlowId add(RouteId route, double limit, std::uint32_t tag,
             const std::optional<Duty>& duty = std::nullopt);
  /// The rate of a flow that has its links to itself.
  [[nodiscard]] double alone(RouteId route) const { return routes_[route].alone; }
  void remove(FlowId flow);

  struct RateChange {
    std::uint32_t tag;
    double rate;
  };
  /// Rates that differ from what was last reported, after all additions and removals so far.
  const std::vector<RateChange>& settle();

  /// Links that are distinguished.
  [[nodiscard]] std::size_t links() const { return links_.size(); }

 private:
  /// What flows of one kind have in common.
  struct FlowType {
    RouteId route = 0;
    double limit = 0;
    std::optional<Duty> duty{};  ///< of flows that come and go
    [[nodiscard]] bool stays_or(std::optional<std::uint32_t> kind) const {
      return !duty || duty->kind == kind;
    }
    bool operator==(const FlowType&) const = default;
  };
  using TypeId = std::uint32_t;
  struct Flow {
    TypeId type = 0;
    RouteId route = 0;  ///< the type's, at hand where flows are walked
    double rate = -1;
    std::uint32_t tag = 0;
    std::uint32_t visited = 0;
    double holding = 0;  ///< the share of time for which it holds its links, at its rate
  };
  struct LinkState {
    double capacity = 0;
    double wanted = 0;
    double wanted_now_and_then = 0;  ///< of that by flows that come and go
    std::uint32_t visited = 0;
    std::vector<FlowId> flows;
  };
  struct Route {
    std::vector<LinkParts> parts;
    std::vector<double> shares;  ///< of the same links
    double alone = 0;            ///< rate of a flow that has the links to itself
    std::vector<TypeId> types;   ///< of the flows that have taken it
  };

  void add_route(const std::vector<LinkShare>& links, const std::vector<std::uint32_t>& merged,
                 std::vector<std::uint32_t>& met);
  TypeId type_of(const FlowType& type);
  [[nodiscard]] const FlowType& type(FlowId flow) const { return types_[flows_[flow].type]; }
  [[nodiscard]] const Route& way(FlowId flow) const { return routes_[flows_[flow].route]; }
  [[nodiscard]] static bool overloaded(const LinkState& link);
  void solve_around(FlowId first);
  void look_up_members();
  void solve_members();
  const std::vector<double>& shared_rates(std::optional<std::uint32_t> kind);
  void solve_without();
  [[nodiscard]] bool free_without(FlowId id) const;
  void solve_with(std::uint32_t kind);
  [[nodiscard]] double hindered(FlowId id, std::uint32_t kind) const;
  void set_rate(FlowId id, double rate);

  std::vector<LinkState> links_;
  std::vector<Route> routes_;
  LinkSharing sharing_;
  std::vector<FlowType> types_;
  std::vector<Flow> flows_;
  std::vector<FlowId> free_;
  std::vector<FlowId> fresh_;             ///< added since the last settle
  std::vector<std::uint32_t> disturbed_;  ///< links that were overloaded when a flow came or went
  std::vector<FlowId> members_;           ///< flows that are solved together
  struct MeanRate {
    double alone = 0;     ///< without those that come and go
    double hindered = 0;  ///< share of time for which they hold full links
    double lost = 0;      ///< rate times that share
  };
  std::vector<MeanRate> means_;  ///< of those of members_ that stay
  std::vector<RateChange> changes_;
  /// By the types of flows that are solved together, in order: their rates.
  boost::unordered_flat_map<std::vector<TypeId>, std::vector<double>> solved_;
  std::vector<TypeId> key_;
  std::uint32_t round_ = 0;
};

}  // namespace simtrain
