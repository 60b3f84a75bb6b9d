#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/core/watch.h"
#include "sim/study/front/front.h"
#include "sim/study/tasks/task_list.h"
#include "sim/study/tune/plan_bounds.h"
#include "sim/topology/cluster_cache.h"

namespace simtrain {

/// Finds the front, the same that simulating every plan finds, in waves of simulations that whoever
/// calls may have done anywhere:
///
///     for (auto wave = search.next(); !wave.empty(); wave = search.next())
///       for (const std::uint64_t number : wave) search.add(search.tasks().answer(number));
///     const Front front = std::move(search).finished();
///
/// Plans are taken by their lower bound of step time (StepTimeBound), which bounds the price too
/// and has one of the energy; the memory is known beforehand. A plan is skipped where one that was
/// simulated dominates its bounds, and so whatever it may come to. Tight plans count where the
/// request allows them, or no safe plan can be simulated. Waves depend on the request alone: the
/// same plans are simulated whoever does it, in whatever order.
class FrontSearch {
 public:
  /// Lists the plans that fit and bounds them, on all cores. The request outlives this.
  explicit FrontSearch(const FrontRequest& request, Watch watch = {});

  /// The plans that fit, by number, each answered with the record of a SweepRow.
  [[nodiscard]] TaskList tasks() const;
  /// The plans to simulate now; none: the front is found. Records of the wave before must be there.
  [[nodiscard]] std::vector<std::uint64_t> next();
  /// A record of the wave, in any order.
  void add(std::string_view record);
  /// Call once, when `next` has given none.
  [[nodiscard]] Front finished() &&;

 private:
  /// A plan that is not simulated yet.
  struct Open {
    std::uint64_t number = 0;
    double bound_s = 0;
    double bound_j = 0;  ///< of a token, where energy is an objective
    Known known{};
    std::string refusal{};  ///< why it cannot be simulated
    /// For a heap whose top is the least.
    friend bool operator<(const Open& a, const Open& b) {
      return std::tie(a.bound_s, a.number) > std::tie(b.bound_s, b.number);
    }
  };
  void begin(bool tight);
  void enter_wave();
  void enter(const SweepRow& row);
  void skip(std::uint64_t number, const std::string& reason);
  void bound(std::vector<Open>& plans);
  void put_back(std::vector<Open>&& plans);
  [[nodiscard]] bool dominated(const Open& open) const;
  [[nodiscard]] double usd_per_1t_tokens(const PlanAt& at, double step_s) const;
  [[nodiscard]] Figures figures(const PlanAt& at, double step_s, double joules_per_token) const;
  [[nodiscard]] SweepRow simulated(std::uint64_t number) const;
  void notify() const;

  const FrontRequest& request_;
  Watch watch_;
  Front front_;
  std::vector<PlanAt> all_;  ///< by number
  PlanBounds bounds_;
  std::unique_ptr<ClusterCache> clusters_;
  std::vector<Open> queue_;  ///< a heap
  std::vector<std::uint64_t> wave_;
  std::map<std::uint64_t, SweepRow> arrived_;  ///< of the wave
  std::vector<std::size_t> leaders_;  ///< places in front_.plans of those that none dominates
  bool tight_begun_ = false;
};

}  // namespace simtrain
