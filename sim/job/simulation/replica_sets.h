#pragma once

#include <vector>

#include "sim/job/plan/job_plan.h"
#include "sim/job/simulation/job_nodes.h"

namespace simtrain {

/// The sets of replicas of a job that leave it and come back while the others go on. One that is
/// out starts again, or waits for nodes; what is left of sets without nodes makes whole ones.
class ReplicaSets {
 public:
  /// Both outlive it; `plan` has `replicas`.
  ReplicaSets(const JobPlan& plan, JobNodes& nodes) : plan_(plan), nodes_(nodes) {}

  [[nodiscard]] int out() const { return out_; }
  [[nodiscard]] bool all_out() const { return out_ >= plan_.replicas->sets; }

  /// A failure takes out the sets that it finds, any as likely as another; those that are out
  /// already begin anew. They start `notice_s` from now. How many have left.
  int lose(const FailureKind& kind, double notice_s, JobClock& clock);
  /// When the next one can join, or has its nodes; kNever where all work.
  [[nodiscard]] double next_change() const;
  /// Takes back what can join by now; how many there are.
  int join(JobClock& clock);
  /// All of the job has started with the nodes that there are.
  void start_all();

 private:
  void deal_nodes(double notice_s, JobClock& clock);
  [[nodiscard]] double starts_s(JobClock& clock) const;

  const JobPlan& plan_;
  JobNodes& nodes_;
  int out_ = 0;
  std::vector<double> ready_;  ///< when those that start can join, in order
};

}  // namespace simtrain
