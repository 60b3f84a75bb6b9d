#pragma once

#include <vector>

#include "sim/workload/plan/step_context.h"

namespace simtrain {

/// What one pipeline stage needs at least, in seconds; part of StepTimeBound.
struct StageBound {
  int stage = 0;
  double first_forward = 0;  ///< of micro-batch 0 through chunk 0
  double last_backward = 0;  ///< of the last micro-batch back through chunk 0
  double behind = 0;         ///< passes after that one: weight gradients of cut backwards
  double passes = 0;         ///< all of them, and the messages between them that nothing hides
  double before = 0;         ///< before the first pass: gradients zeroed
  double first_done = 0;     ///< first forward's earliest end, for the gathers that it waits for
  double after = 0;          ///< from the last pass to the reduction of the norm
  double data = 0;           ///< all data-parallel transfers before that
  double end = 0;            ///< the reduction of the norm and what follows
};

/// What bounds are made from.
struct BoundContext : KernelContext {
  const PieceCosts& pieces;  ///< the least that they take on any rank
  const GroupLayout& world;  ///< of all ranks
};

/// `with_ends`: also what the data-parallel transfers and the frame of the passes take.
StageBound stage_bound(const BoundContext& context, int stage, bool with_ends);

/// The step, from bounds of some of its stages, the first among them; a stage without one is like
/// the next that has one.
double bound_of(const JobContext& context, const std::vector<StageBound>& stages);

}  // namespace simtrain
