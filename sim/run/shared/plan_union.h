#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/plan/plan.h"

namespace simtrain {

/// The plans of jobs on one cluster as one plan: a link of the cluster that several of them load is
/// one link. Ranks of a job follow one another. Without Group::inner, which depends on who is
/// there.
struct PlanUnion {
  Plan plan;
  std::vector<std::uint32_t> job_of_rank;
  std::uint32_t jobs = 0;
  std::vector<int> link_copies;  ///< by link: how many of the cluster it stands for
};

PlanUnion united(const std::vector<const Plan*>& plans);

/// The same with one rank, group and link for each class of those that are provably alike
/// (plan_classes()).
PlanUnion folded(const PlanUnion& all);

/// The plan of some of the jobs, in their order, with the transfers inside passes that may meet
/// others there; `job_of_rank` counts them anew.
PlanUnion only(const PlanUnion& all, const std::vector<std::uint32_t>& jobs);

/// By job and link, the most that a job can ever ask of a link, in bytes per second.
std::vector<std::vector<double>> most_asked(const PlanUnion& all);

}  // namespace simtrain
