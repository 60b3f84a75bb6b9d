#pragma once

#include <vector>

#include "sim/topology/specs/gpu_spec.h"

namespace simtrain {

/// What the pipeline schedules depend on.
struct ScheduleRequest {
  int stages = 1;
  int stage = 0;
  int chunks = 1;  ///< virtual pipeline size: model chunks of each stage
  int micro_batches = 1;
};

/// One pass of a stage: a chunk's forward or backward for one micro-batch.
struct StageAction {
  Direction direction{};
  int micro_batch = 0;
  int chunk = 0;
};

/// Forward passes of `stage` before its first backward, as Megatron core counts them
/// (pipeline_parallel/schedules.py): stages - stage - 1 without interleaving,
/// 2 (stages - stage - 1) + (chunks - 1) * stages with it, at most all of them.
int warm_up_passes(const ScheduleRequest& request);

/// The passes of one stage in Megatron's order: 1F1B for one chunk, interleaved 1F1B for more.
/// Interleaved, micro-batches go in groups of `stages`; inside a group all chunks in turn, backward
/// with the chunks reversed. Every (micro-batch, chunk) is once forward, then once backward; at
/// most warm_up_passes + 1 are in flight.
std::vector<StageAction> pipeline_schedule(const ScheduleRequest& request);

}  // namespace simtrain
