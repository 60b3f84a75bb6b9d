#pragma once

#include <vector>

#include "sim/run/engine/timeline.h"

namespace simtrain {

/// One op on the critical path.
struct PathStep {
  std::uint32_t rank;
  std::uint32_t op;
};

/// The chain of ops, first to last, each of which started the moment the one before it ended; it
/// covers the run from 0 to its end without a gap. Where several ops ended at that moment, the one
/// on the op's own rank and stream is taken first.
std::vector<PathStep> critical_path(const Plan& plan, const Timeline& timeline);

/// The rank whose compute stream is busy longest: the pipeline's pace-maker.
std::uint32_t busiest_rank(const Plan& plan, const Timeline& timeline);

/// For each step of a path the share of its time in which it counts as what it is, from 0 to 1. The
/// rest is the pipeline's `bubble`: the path is on another stage than the `busiest` rank's, in a
/// pass or a message of the pipeline, and that rank is idle.
std::vector<double> counted_shares(const Plan& plan, const Timeline& timeline,
                                   const std::vector<PathStep>& path, std::uint32_t busiest);

/// Seconds of the whole run by share, along the critical path; they sum to the run's length. What a
/// compute op takes beyond its time alone is `interference`.
Breakdown path_breakdown(const Plan& plan, const Timeline& timeline,
                         const std::vector<PathStep>& path, std::uint32_t busiest);

}  // namespace simtrain
