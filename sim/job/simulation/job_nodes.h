#pragma once

#include <cstddef>
#include <vector>

#include "sim/job/plan/job_plan.h"

namespace simtrain {

class JobClock;

/// The nodes of a job: those that it lacks, those that wait as spares, those under repair.
class JobNodes {
 public:
  explicit JobNodes(const JobPlan& plan) : plan_(plan), spares_(plan.spares) {}

  /// Takes out the nodes of a failure; they come back when they are repaired.
  void lose(const FailureKind& kind, JobClock& clock);
  /// Puts spares in place of lost nodes, and waits until there are as many as the job needs at
  /// least. False where a failure or the end of the run cut that short.
  bool fill(JobClock& clock);
  /// Nodes that are repaired by now come back, and spares take the place of missing ones.
  void take_back(double now);
  /// Index of `JobPlan::smaller` with what is missing.
  [[nodiscard]] std::size_t smaller() const;
  /// When enough nodes are back for another replica; kNever where none is missing.
  [[nodiscard]] double next_growth() const;

 private:
  struct Repair {
    double done_s;
    double nodes;
  };
  const JobPlan& plan_;
  double spares_;
  double missing_ = 0;
  std::vector<Repair> repairs_;  ///< in order
};

}  // namespace simtrain
