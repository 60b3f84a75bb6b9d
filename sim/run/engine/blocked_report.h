#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/workload/plan/plan.h"

namespace simtrain {

/// An op that has not run when nothing is left to happen.
struct BlockedOp {
  std::uint32_t rank;
  std::uint32_t op;
  bool joined;  ///< it waits for the other members of its group; otherwise for ops of its own rank
};

/// Says of the first blocked ops which they are and what each lacks, a line each.
std::string blocked_report(const Plan& plan, const std::vector<BlockedOp>& blocked,
                           const std::function<bool(std::uint32_t, std::uint32_t)>& ended);

/// "rank 3 (stage 1): receive of micro-batch 5, chunk 2".
std::string op_name(const Plan& plan, std::uint32_t rank, std::uint32_t op);

}  // namespace simtrain
