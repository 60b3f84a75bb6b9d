#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/topology/cluster.h"

namespace simtrain {

/// A flow that wants as much as it can get: at most `limit` bytes per second (its channels), and
/// `share` of its own rate on each of its links. `links` is not owned.
struct SharedFlow {
  const std::vector<LinkShare>* links = nullptr;
  double limit = 0;
};

/// Max-min fair rates, by progressive filling: all flows rise together; a flow stops at its own
/// limit or when one of its links is full; the others go on. Pure: no time, no events.
///
/// Every flow ends at its limit or on a full link on which no flow has more; no link carries more
/// than its capacity. The result does not depend on the order of the flows, and n equal flows get
/// exactly what one flow with n-fold shares would get, where shares are fractions whose divisors
/// have small factors (equal splitting over 2, 4 or 18 ways; others agree to 12 digits).
///
/// `capacities` are bytes per second by link id; the result is by flow.
std::vector<double> share_links(const std::vector<double>& capacities,
                                const std::vector<SharedFlow>& flows);

/// What a flow takes of one link, counted in whole parts so that sums are exact in any order.
struct LinkParts {
  std::uint32_t link = 0;
  std::int64_t parts = 0;
};

/// A share as whole parts.
std::int64_t parts_of(double share);

/// The solver behind share_links(), for one problem after another without allocating: clear(),
/// add_link() each link, add() each flow, rates(). Others may follow on the same links, after
/// clear_flows().
class LinkSharing {
 public:
  void clear();
  void clear_flows();
  /// Returns its number, counted from 0: LinkParts::link.
  std::uint32_t add_link(double capacity);
  /// `uses` must outlive rates(); each link once.
  void add(std::span<const LinkParts> uses, double limit);
  /// By flow, in the order in which they were added.
  const std::vector<double>& rates();

 private:
  struct Link {
    double capacity = 0;
    double left = 0;           ///< capacity not yet given away
    double level = 0;          ///< the rate at which the rising flows fill it
    std::int64_t rising = 0;   ///< parts that the flows which still rise take
    std::int64_t stopped = 0;  ///< the same of the flows that stop in this round
    std::uint32_t flows = 0;   ///< how many take it
    std::uint32_t first = 0;   ///< place of the first of them in flows_of_
    void refill();
  };
  struct Flow {
    std::span<const LinkParts> uses;
    double limit = 0;
    bool rising = true;
  };

  void prepare();
  [[nodiscard]] double next_level() const;
  void stop(std::uint32_t flow, double level);
  void settle_round(double level);

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> flows_of_;  ///< by link, see Link::first
  std::vector<std::uint32_t> by_limit_;  ///< flows
  std::size_t lowest_ = 0;               ///< place in by_limit_ of the first that still rises
  std::vector<std::uint32_t> live_;      ///< links of flows that still rise
  std::vector<std::uint32_t> changed_;   ///< links of flows that stop in this round
  std::vector<double> rates_;
};

}  // namespace simtrain
