#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "sim/run/engine/period/state_words.h"
#include "sim/run/engine/rate_observer.h"
#include "sim/topology/link_sharing.h"
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
  /// `observer`, which may be none and outlives this, is notified of every change.
  FlowNetwork(const std::vector<double>& capacities,
              const std::vector<const std::vector<LinkShare>*>& routes,
              RateObserver* observer = nullptr);

  /// A flow of at most `limit` bytes per second; with `duty` one that comes and goes. `tag` is
  /// handed back with rate changes.
  FlowId add(RouteId route, double limit, std::uint32_t tag,
             const std::optional<Duty>& duty = std::nullopt);
  /// The limit of a flow that elsewhere, on these links alone, moves at this rate: rounding does
  /// not count as loss. A route of a folded plan, which stands for many flows, may well let less
  /// through: they meet each other.
  [[nodiscard]] double limit_of(RouteId route, double rate) const;
  void remove(FlowId flow);
  /// Asks memory for what is known of the links of a flow.
  void fetch(FlowId flow) const {
    for (const Use& use : way(flows_[flow])) __builtin_prefetch(&links_[use.link]);
  }

  struct RateChange {
    std::uint32_t tag;
    double rate;
  };
  /// Rates that differ from what was last reported, after all additions and removals so far.
  const std::vector<RateChange>& settle();

  /// For another time to be compared with: these flows, which are all, and the links that they
  /// take.
  void describe(const std::vector<FlowId>& flows, StateWords& words) const;

  /// Links that are distinguished.
  [[nodiscard]] std::size_t links() const { return links_.size(); }

 private:
  /// What flows of one kind have in common.
  struct FlowType {
    RouteId route = 0;
    double limit = 0;
    std::optional<Duty> duty{};  ///< of flows that come and go
    bool operator==(const FlowType&) const = default;
  };
  using TypeId = std::uint32_t;
  static constexpr TypeId kUntyped = 0xffffffffU;
  struct Flow {
    double limit = 0;
    double rate = -1;
    double holding = 0;  ///< the share of time for which it holds its links, at its rate
    RouteId route = 0;
    std::uint32_t tag = 0;
    std::uint32_t visited = 0;
    TypeId type = kUntyped;    ///< known once it has met others
    std::uint32_t serial = 0;  ///< how often its number was given back
    bool comes_and_goes = false;
  };
  /// A cache line: a link is asked about whenever a flow that takes it comes or goes.
  struct alignas(64) LinkState {  // NOLINT(bugprone-exception-escape): only where memory ends
    double capacity = 0;
    double wanted = 0;
    double wanted_now_and_then = 0;  ///< of that by flows that come and go
    boost::container::small_vector<
        FlowId, 4, void,
        boost::container::small_vector_options_t<boost::container::stored_size<std::uint32_t>>>
        flows;
    std::uint32_t visited = 0;
  };
  struct Use {
    std::uint32_t link = 0;
    double share = 0;
    std::int64_t parts = 0;  ///< of the same share
  };
  struct Route {
    std::uint32_t first = 0;  ///< place in uses_
    std::uint32_t count = 0;
    double alone = 0;  ///< rate of a flow that has the links to itself (of a class, with its like)
  };
  /// A flow as it was added: numbers of flows are used again.
  struct FreshFlow {
    FlowId flow = 0;
    std::uint32_t serial = 0;
  };

  void add_route(const std::vector<LinkShare>& links, const std::vector<std::uint32_t>& merged,
                 std::vector<std::uint32_t>& met);
  [[nodiscard]] std::span<const Use> way(RouteId route) const {
    return std::span(uses_).subspan(routes_[route].first, routes_[route].count);
  }
  [[nodiscard]] std::span<const Use> way(const Flow& flow) const { return way(flow.route); }
  [[nodiscard]] static bool overloaded(const LinkState& link);
  [[nodiscard]] bool crowded(const Use& use) const { return links_[use.link].visited == round_; }
  /// Whether a member is of those that stay, or of one kind of the others.
  [[nodiscard]] bool stays_or(FlowId id, std::optional<std::uint32_t> kind) const {
    return !flows_[id].comes_and_goes || duties_[id].kind == kind;
  }
  TypeId type_of(FlowId id);
  void solve_around(FlowId first);
  void look_up_members();
  void solve_members();
  void gather_links();
  const std::vector<double>& shared_rates(std::optional<std::uint32_t> kind);
  void solve_without();
  [[nodiscard]] bool free_without(const Flow& flow) const;
  void solve_with(std::uint32_t kind);
  void note_holding(std::uint32_t kind);
  [[nodiscard]] double hindered(const Flow& flow) const;
  void set_rate(FlowId id, double rate);

  RateObserver* observer_;
  std::vector<LinkState> links_;
  std::vector<Route> routes_;
  std::vector<Use> uses_;  ///< of the routes, one behind another
  std::vector<Flow> flows_;
  std::vector<Duty> duties_;  ///< by flow, of those that come and go
  std::vector<FlowId> free_;
  std::vector<FreshFlow> fresh_;          ///< added since the last settle
  std::vector<std::uint32_t> disturbed_;  ///< links that were overloaded when a flow came or went

  // Flows that are solved together, and what is known of them meanwhile.
  std::vector<FlowId> members_;
  std::vector<std::uint32_t> crowded_;     ///< overloaded links that they meet on
  LinkSharing sharing_;                    ///< of the links that may bind
  std::vector<std::uint32_t> narrow_;      ///< by link: its number in sharing_, 0 for none, from 1
  std::vector<LinkParts> narrow_parts_;    ///< of the members, with the numbers of sharing_
  std::vector<std::uint32_t> narrow_end_;  ///< by place in members_: end in narrow_parts_
  std::vector<std::uint32_t> numbered_;    ///< links of which narrow_ is set
  std::vector<double> held_;               ///< by link, see note_holding
  struct MeanRate {
    double alone = 0;     ///< without those that come and go
    double hindered = 0;  ///< share of time for which they hold full links
    double lost = 0;      ///< rate times that share
  };
  std::vector<MeanRate> means_;  ///< of those of members_ that stay
  std::vector<RateChange> changes_;

  std::vector<FlowType> types_;
  std::vector<std::vector<TypeId>> types_of_route_;
  /// By the types of flows that are solved together, in order: their rates.
  boost::unordered_flat_map<std::vector<TypeId>, std::vector<double>> solved_;
  std::vector<TypeId> key_;
  std::uint32_t round_ = 0;
};

}  // namespace simtrain
