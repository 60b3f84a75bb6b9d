#pragma once

#include <string>
#include <vector>

#include "sim/study/nccl/nccl_validation.h"

namespace simtrain {

/// How well some measured calls are predicted: of 1 MiB and more, and below.
struct CurveGroup {
  std::string machine;     ///< or "all"
  std::string collective;  ///< or what else the group has in common; empty for all
  std::string use;         ///< "fitted", "tested", "all"
  CurveSummary large;
  CurveSummary small;
};

/// Points that parameters were fitted to and others apart, by machine and collective and over all.
std::vector<CurveGroup> groups_by_curve(const std::vector<CurvePoint>& points);

/// All points as one group.
CurveGroup group_of_all(const std::vector<CurvePoint>& points);

/// All points by collective, by machine, by count of nodes, and all of them.
std::vector<CurveGroup> groups_over_all(const std::vector<CurvePoint>& points);

}  // namespace simtrain
