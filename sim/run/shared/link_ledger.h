#pragma once

#include <cstdint>
#include <vector>

#include "sim/run/engine/job_steps.h"
#include "sim/run/engine/rate_observer.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// What the jobs of a plan did on its links: how much each moved, and how long its transfers were
/// held up there by whom. A transfer is held up on the link of its way that is asked for most: of
/// the time by which it moves slower than with its links to itself, those that share that link are
/// each to blame by their part of what it carries.
class LinkLedger : public RateObserver {
 public:
  /// `job_of_rank` by simulated rank.
  LinkLedger(const Plan& plan, const std::vector<std::uint32_t>& job_of_rank, std::uint32_t jobs);

  void at(Duration now) override {
    if (steps_ != nullptr && steps_->open()) {
      steps_ = nullptr;
      begin();
    }
    now_ = now;
  }
  void moves(std::uint32_t flow, std::uint32_t route, double rate, double free,
             double holding) override;
  void settled() override;
  void ends(std::uint32_t flow) override;

  /// The figures below are of the time in which steps count, not of all.
  void count_from(const JobSteps& steps) { steps_ = &steps; }
  /// Brings the figures up to now.
  void close();
  [[nodiscard]] double seconds() const { return to_seconds(now_ - begun_); }
  /// Of a link by the plan's id: bytes that a job moved over it.
  [[nodiscard]] double bytes(std::size_t link, std::uint32_t job) const {
    return links_[link].moved[job];
  }
  /// Seconds by which transfers of a job were held up on a link by another (or itself), summed.
  [[nodiscard]] double held_up_s(std::size_t link, std::uint32_t job, std::uint32_t by) const {
    return links_[link].held_up[job * jobs_ + by];
  }

 private:
  struct Use {
    std::uint32_t link = 0;
    double share = 0;
  };
  struct Flow {
    std::uint32_t route = 0;
    double rate = 0;
    double holding = 1;
    double lost = 0;  ///< of its time, to what shares its links
    bool moving = false;
    Duration since{};
    std::uint32_t link = 0;     ///< on which it is held up
    std::vector<double> blame;  ///< by job, sums to `lost`
  };
  struct Link {
    double capacity = 0;
    std::vector<double> load;  ///< by job, bytes per second
    std::vector<double> moved;
    std::vector<double> held_up;
    Duration since{};
  };

  void begin();
  void load(const Flow& flow, double sign);
  void bring_up(Link& link) const;
  void note(Flow& flow);
  void find_blame(Flow& flow) const;

  std::uint32_t jobs_;
  const JobSteps* steps_ = nullptr;  ///< until they count
  std::vector<std::vector<Use>> routes_;
  std::vector<std::uint32_t> job_of_route_;
  std::vector<Flow> flows_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> changed_;
  Duration now_{};
  Duration begun_{};
};

}  // namespace simtrain
