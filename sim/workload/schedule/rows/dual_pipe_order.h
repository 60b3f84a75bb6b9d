#pragma once

#include <vector>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {

/// The tasks of a stage of two chunks whose forwards and backwards run in pairs
/// (dualpipe/dualpipe.py and dualpipev.py): kChunkDown is the one that starts first, and
/// `micro_batches` go through each chunk. DualPipe is DualPipeV on half as many stages: a stage and
/// the one at its place from the other end run what one stage of the V does.
std::vector<Task> dual_pipe_order(int stages, int micro_batches, int stage);

}  // namespace simtrain
