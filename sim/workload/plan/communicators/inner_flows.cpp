#include "sim/workload/plan/communicators/inner_flows.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace simtrain {
namespace {

/// Calls on the groups of the transfers inside run before or after those.
bool beside_passes(GroupKind group) {
  const auto& inner = inner_kinds();
  return std::find(inner.begin(), inner.end(), group) == inner.end();
}

/// What links may be asked for at once, in bytes per second by link.
class Demand {
 public:
  Demand(const Plan& plan, const ProgramCalls& calls)
      : plan_(plan), step_(plan.link_capacities.size()) {
    inner_.fill(step_);
    for (const SimulatedRank& rank : plan.ranks) {
      const Program& program = plan.programs[rank.program];
      for (const auto& [group, cost] : calls[rank.program]) {
        const TransferCost& call = program.transfers[cost];
        if (call.wire.value() > 0 && beside_passes(group)) note(rank, group, call);
      }
      for (const PassTraffic& traffic : program.inner) note(rank, traffic);
    }
    for (const auto& [route, rate] : most_step_) spread(step_, route, rate);
    for (std::size_t kind = 0; kind < inner_.size(); ++kind) {
      for (const auto& [route, rate] : most_inner_[kind]) spread(inner_[kind], route, rate);
    }
  }

  /// Whether a link of the group may be too small for what moves inside passes and beside them.
  [[nodiscard]] bool contended(const InnerFlow& flow) const {
    const std::vector<LinkShare>& links = links_of({flow.group, flow.link_set});
    return std::any_of(links.begin(), links.end(), [&](const LinkShare& use) {
      const auto link = static_cast<std::size_t>(use.link);
      return step_[link] > 0 && step_[link] + inner_[flow.kind][link] > plan_.link_capacities[link];
    });
  }

 private:
  using Route = std::pair<std::uint32_t, std::size_t>;  ///< group and link set

  [[nodiscard]] const std::vector<LinkShare>& links_of(const Route& route) const {
    return plan_.groups[route.first].links_at(route.second);
  }

  [[nodiscard]] Route route_of(const SimulatedRank& rank, GroupKind kind,
                               const TransferCost& call) const {
    const std::uint32_t group = rank.groups[static_cast<std::size_t>(kind)];
    return {group, plan_.groups[group].set_of(call)};
  }

  static void raise(double& most, double rate) { most = std::max(most, rate); }

  void note(const SimulatedRank& rank, GroupKind kind, const TransferCost& call) {
    raise(most_step_[route_of(rank, kind, call)], call.limit);
  }
  void note(const SimulatedRank& rank, const PassTraffic& traffic) {
    for (std::size_t i = 0; i < traffic.size(); ++i) {
      if (traffic[i].rate() > 0)
        raise(most_inner_[i][route_of(rank, inner_kinds()[i], traffic[i].call)], traffic[i].rate());
    }
  }
  void spread(std::vector<double>& demand, const Route& route, double rate) const {
    for (const LinkShare& use : links_of(route))
      demand[static_cast<std::size_t>(use.link)] += use.share * rate;
  }

  const Plan& plan_;
  std::map<Route, double> most_step_;
  std::array<std::map<Route, double>, kInnerKinds> most_inner_;
  std::vector<double> step_;
  std::array<std::vector<double>, kInnerKinds> inner_;
};

bool holds_transfers(const Plan& plan) {
  return std::any_of(plan.programs.begin(), plan.programs.end(),
                     [](const Program& program) { return !program.inner.empty(); });
}

/// The call as which a program counts what its passes move on a kind of group; null where nothing.
const TransferCost* call_inside(const Program& program, std::size_t kind) {
  const auto moves =
      std::find_if(program.inner.begin(), program.inner.end(),
                   [kind](const PassTraffic& traffic) { return traffic[kind].rate() > 0; });
  return moves == program.inner.end() ? nullptr : &(*moves)[kind].call;
}

void add_flow(std::vector<InnerFlow>& flows, const InnerFlow& flow) {
  const bool known = std::any_of(flows.begin(), flows.end(), [&](const InnerFlow& one) {
    return one.kind == flow.kind && one.group == flow.group;
  });
  if (!known) flows.push_back(flow);
}

}  // namespace

void add_inner_flows(Plan& plan, const ProgramCalls& calls) {
  if (!holds_transfers(plan)) return;
  const Demand demand(plan, calls);
  for (const SimulatedRank& rank : plan.ranks) {
    Group& together = plan.groups[rank.groups[static_cast<std::size_t>(GroupKind::replica)]];
    for (std::size_t kind = 0; kind < kInnerKinds; ++kind) {
      const TransferCost* call = call_inside(plan.programs[rank.program], kind);
      if (call == nullptr) continue;
      const std::uint32_t group = rank.groups[static_cast<std::size_t>(inner_kinds()[kind])];
      const InnerFlow flow{kind, group, plan.groups[group].set_of(*call)};
      if (demand.contended(flow)) add_flow(together.inner, flow);
    }
  }
}

}  // namespace simtrain
