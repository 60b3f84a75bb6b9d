#include "sim/workload/step_plan.h"

#include <algorithm>
#include <numeric>

#include "sim/workload/plan_groups.h"
#include "sim/workload/stage_program.h"

namespace simtrain {
namespace {

/// How a rank's communicators lie, as far as times depend on it.
struct RankSignature {
  GroupLayout tensor;
  GroupLayout context;
  GroupLayout data;
  Distance next{};
  Distance previous{};
  friend bool operator==(const RankSignature&, const RankSignature&) = default;
};

/// Layouts of groups, worked out once per group: all members share it.
class Signatures {
 public:
  explicit Signatures(const StepContext& context) : context_(context) {}

  RankSignature of(int rank) {
    const RankGrid& grid = context_.grid;
    const auto gpu = [&](int other) { return context_.placement.gpu(other); };
    return {layout(tensor_, grid.tensor_group(rank)),
            layout(context_layouts_, grid.context_group(rank)), layout(data_, rank),
            context_.cluster.distance(gpu(rank), gpu(grid.stage_neighbour(rank, 1))),
            context_.cluster.distance(gpu(rank), gpu(grid.stage_neighbour(rank, -1)))};
  }

 private:
  using Known = std::map<int, GroupLayout>;
  GroupLayout layout(Known& known, const std::vector<int>& ranks) {
    const auto [entry, fresh] = known.try_emplace(ranks.front());
    if (fresh) {
      entry->second = layout_of(context_.cluster, context_.placement.gpus(ranks));
    }
    return entry->second;
  }
  /// A data group is large: its ranks are listed once only.
  GroupLayout layout(Known& known, int rank) {
    RankCoordinates first = context_.grid.coordinates(rank);
    first.dp = 0;
    first.cp = 0;
    const auto entry = known.find(context_.grid.rank(first));
    return entry != known.end() ? entry->second
                                : layout(known, context_.grid.data_context_group(rank));
  }

  const StepContext& context_;
  Known tensor_;
  Known context_layouts_;
  Known data_;
};

Plan empty_plan(const StepContext& context) {
  Plan plan;
  plan.link_capacities = context.cluster.capacities();
  plan.sm_count = context.cluster.spec().gpu.sm_count.value;
  plan.overlap_slowdown = context.cluster.spec().gpu.gemm.overlap_slowdown.value;
  plan.memory_bandwidth = context.cluster.spec().gpu.memory_bandwidth.value.value();
  return plan;
}

/// How far apart neighbours are at most in the ring over these GPUs, which goes at its slowest
/// hop's pace.
Distance widest_hop(const Cluster& cluster, const std::vector<int>& gpus) {
  Distance widest = Distance::same_gpu;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    widest = std::max(widest, cluster.distance(gpus[i], gpus[(i + 1) % gpus.size()]));
  return widest;
}

}  // namespace

bool stages_are_uniform(const StepContext& context) {
  if (!context.cluster.inner_links_never_bind() || !context.cluster.hosts_are_alike()) return false;
  Signatures signatures(context);
  std::vector<RankSignature> of_stage;
  for (int rank = 0; rank < context.grid.ranks(); ++rank) {
    const auto stage = static_cast<std::size_t>(context.grid.coordinates(rank).pp);
    const RankSignature signature = signatures.of(rank);
    if (stage == of_stage.size()) of_stage.push_back(signature);
    if (signature != of_stage[stage]) return false;
  }
  return true;
}

Plan step_plan(const StepContext& context, bool unfold) {
  Plan plan = empty_plan(context);
  for (int stage = 0; stage < context.grid.pp(); ++stage)
    plan.programs.push_back(stage_program(context, stage));
  std::vector<int> ranks;
  if (unfold || !stages_are_uniform(context)) {
    ranks.resize(static_cast<std::size_t>(context.grid.ranks()));
    std::iota(ranks.begin(), ranks.end(), 0);
  } else {
    for (int stage = 0; stage < context.grid.pp(); ++stage)
      ranks.push_back(context.grid.rank({0, 0, 0, stage}));
  }
  PlanGroups(context, plan).add_ranks(ranks);
  for (SimulatedRank& rank : plan.ranks) rank.program = static_cast<std::uint32_t>(rank.stage);
  return plan;
}

Plan piece_plan(const StepContext& context, Piece piece, bool unfold) {
  const std::vector<int> replica = context.grid.tensor_context_group(0);
  Plan plan = empty_plan(context);
  plan.programs.push_back(piece_program(
      {context.recipe, context.cluster.spec(), context.kernels,
       layout_of(context.cluster, context.placement.gpus(context.grid.tensor_group(0))),
       widest_hop(context.cluster, context.placement.gpus(context.grid.context_group(0)))},
      piece));
  PlanGroups(context, plan).add_ranks(unfold ? replica : std::vector<int>{replica.front()});
  return plan;
}

}  // namespace simtrain
