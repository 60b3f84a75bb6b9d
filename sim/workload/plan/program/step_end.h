#pragma once

#include <vector>

#include "sim/workload/plan/data/buckets.h"
#include "sim/workload/plan/step_context.h"
#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {

/// What frames the passes of a step on one rank: the gradient buffer zeroed before them, and after
/// them the gradients of the norms, the gradient norm and the optimizer on the rank's shard.
struct StepEndCosts {
  ComputeCost zero_gradients;
  TransferCost
      norm_gradients;         ///< norm weights, summed over the TP group under sequence parallelism
  ComputeCost gradient_norm;  ///< of the rank's shard
  TransferCost norm_reduction;    ///< one scalar over all ranks
  ComputeCost host_wait;          ///< the host reads the norm before it launches the optimizer
  double updated_parameters = 0;  ///< the rank's shard
  ComputeCost optimizer;  ///< of those that the host does not update: clip (8 bytes a parameter),
                          ///< Adam in FP32 (28), copy (6)
};

/// `groups` share the optimizer's state; `world` is the layout of all ranks.
StepEndCosts step_end_costs(const KernelContext& context, int rank,
                            const std::vector<ChunkLayout>& chunks, const GradientGroups& groups,
                            const GroupLayout& world);

}  // namespace simtrain
