#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/plan/plan.h"

namespace simtrain {

/// Classes of a plan's ranks, groups and links that are provably alike, each numbered by first
/// appearance (docs/adr/0042): the coarsest in which ranks of one run one program of one job and
/// are, slot by slot, in groups of one class; groups hold as many ranks of each class and load as
/// much of as many links of each class; links have one capacity, lie between switches or not, and
/// are loaded alike by groups of the same classes. Then at any time all of a class do the same.
struct PlanClasses {
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> links;
};

/// Of a plan that simulates every rank. `job_of_rank` by simulated rank.
PlanClasses plan_classes(const Plan& plan, const std::vector<std::uint32_t>& job_of_rank);

/// By class, the first that is of it.
std::vector<std::uint32_t> first_of_each(const std::vector<std::uint32_t>& classes);

/// The plan with one rank, group and link for each class, whose spans are those of all of them: a
/// group takes of a link what all groups of its class take of it. Without Group::inner.
Plan folded(const Plan& plan, const PlanClasses& classes);

}  // namespace simtrain
