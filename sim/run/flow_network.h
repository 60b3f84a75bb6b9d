#pragma once

#include <cstdint>
#include <vector>

#include "sim/topology/link_sharing.h"

namespace simtrain {

/// The flows that run now and their max-min fair rates, kept up to date as flows come and go.
/// Flows of links that are not asked for more than they have run at their limits; only where a link
/// is overloaded the solver is asked, for the flows connected to it.
class FlowNetwork {
 public:
  using FlowId = std::uint32_t;

  explicit FlowNetwork(std::vector<double> capacities);

  /// `links` must outlive the flow. `tag` is handed back with rate changes.
  FlowId add(const std::vector<LinkShare>& links, double limit, std::uint32_t tag);
  void remove(FlowId flow);

  struct RateChange {
    std::uint32_t tag;
    double rate;
  };
  /// Rates that differ from what was last reported, after all additions and removals so far.
  const std::vector<RateChange>& settle();

 private:
  struct Flow {
    const std::vector<LinkShare>* links = nullptr;
    double limit = 0;
    double rate = -1;
    std::uint32_t tag = 0;
    std::uint32_t visited = 0;
  };
  struct LinkState {
    double capacity = 0;
    double wanted = 0;
    std::uint32_t visited = 0;
    std::vector<FlowId> flows;
  };

  [[nodiscard]] static bool overloaded(const LinkState& link);
  void disturb(const Flow& flow);
  void solve_around(FlowId first);
  void set_rate(FlowId id, double rate);

  std::vector<double> capacities_;
  std::vector<LinkState> links_;
  std::vector<Flow> flows_;
  std::vector<FlowId> free_;
  std::vector<FlowId> fresh_;   ///< added since the last settle
  std::vector<int> disturbed_;  ///< links that were overloaded when a flow came or went
  std::vector<RateChange> changes_;
  std::uint32_t round_ = 0;
};

}  // namespace simtrain
