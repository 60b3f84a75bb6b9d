#include "sim/workload/plan/program/step_end.h"

#include <algorithm>

#include "sim/workload/model/optimizer_state.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

/// Middle of the 50 to 200 us that profiles show between the norm and the optimizer's launch.
constexpr Duration kHostSynchronization = std::chrono::microseconds(100);

ComputeCost cost_of(Duration time, Share share, bool memory_bound) {
  ComputeCost cost;
  cost.time = time;
  cost.memory_bound = memory_bound ? 1 : 0;
  part(cost.parts, share) = to_seconds(time);
  return cost;
}

}  // namespace

StepEndCosts step_end_costs(const KernelContext& context, int rank,
                            const std::vector<ChunkLayout>& chunks, const GradientGroups& groups,
                            const GroupLayout& world) {
  const Recipe& recipe = context.recipe;
  std::int64_t parameters = 0;
  std::int64_t replicated = 0;
  double shard = 0;
  for (const ChunkLayout& chunk : chunks) {
    for (int layer = 0; layer < chunk.layers; ++layer)
      replicated += context.totals.layer(chunk.first_layer + layer).replicated_parameters;
  }
  for (const GroupKind kind : kGradientGroups) {
    std::int64_t own = 0;
    for (const ChunkLayout& chunk : chunks) own += trained_parameters(context.totals, chunk, kind);
    parameters += own;
    shard += static_cast<double>(own) /
             (sharding_of(recipe).shards_optimizer ? groups.of(kind).ranks : 1);
  }
  const SlowedKernelModel kernels = context.kernels_of(rank);
  const auto streaming = [&](double bytes) {
    const Streaming kernel{StreamingKind::element_wise, bytes};
    return cost_of(kernels.time(kernel).time, Share::optimizer, true);
  };
  const auto all_reduce = [&](std::int64_t bytes, const GroupLayout& layout) {
    return plan_collective({Collective::all_reduce, Bytes(bytes), layout},
                           {context.cluster.spec(), recipe.software.library});
  };
  const std::int64_t gradient = bytes_of(recipe.optimizer.grad_reduce_dtype);

  StepEndCosts costs;
  const double zeroed =
      sharding_of(recipe).shards_gradients ? shard : static_cast<double>(parameters);
  costs.zero_gradients = streaming(zeroed * static_cast<double>(gradient));
  costs.norm_gradients = all_reduce(std::max<std::int64_t>(1, replicated) * gradient,
                                    context.layout(GroupKind::tensor, rank));
  costs.gradient_norm = streaming(shard * static_cast<double>(gradient));
  costs.norm_reduction = all_reduce(kFp32.bytes_for(1), world);
  costs.host_wait = cost_of(kHostSynchronization, Share::host, false);
  costs.updated_parameters = shard;
  costs.optimizer =
      streaming(optimizer_state(recipe).traffic * (shard * (1 - recipe.offload.optimizer_share())));
  return costs;
}

}  // namespace simtrain
