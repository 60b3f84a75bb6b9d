#include "sim/workload/plan/data/unit_flow.h"

#include <algorithm>

#include "sim/workload/plan/data/host_copy.h"

namespace simtrain {
namespace {

ComputeCost streamed(const SlowedKernelModel& kernels, double bytes) {
  ComputeCost cost;
  cost.time = kernels.time(Streaming{StreamingKind::element_wise, bytes}).time;
  cost.memory_bound = 1;
  part(cost.parts, Share::data_parallel) = to_seconds(cost.time);
  return cost;
}

/// Bytes that are read and written for each gradient before its reduction.
double packing_bytes(const UnitRules& rules, double parameter, double reduced) {
  const bool passes = rules.packs || (rules.converts && parameter != reduced);
  return 2 * rules.gradient_moves * parameter + 2 * rules.reduced_moves * reduced +
         (passes ? parameter + reduced : 0);
}

}  // namespace

UnitFlow::UnitFlow(const StepContext& context, int rank, const GradientGroups& groups,
                   const StagePasses& passes, StepProgram& step)
    : recipe_(context.recipe),
      rules_(*sharding_of(context.recipe).units),
      until_(gathered_until(context.recipe)),
      step_(step) {
  const ModelTotals& totals = context.totals;
  const LayerList& layers = totals.layers();
  const TensorFormat& high = recipe_.precision().activation;
  for (int kind = 0; kind < totals.kinds(); ++kind) {
    const bool low = !layers.kinds()[static_cast<std::size_t>(kind)].high;
    units_.push_back(unit_of(context, rank, groups, totals.of_kind(kind),
                             low ? gathered_weight_format(recipe_) : high));
    units_.back().layer = true;
  }
  const std::size_t embedding = units_.size();
  units_.push_back(unit_of(context, rank, groups, totals.embedding(), high));
  units_.push_back(unit_of(context, rank, groups, totals.head(), high));
  for (const ChunkLayout& chunk : passes.chunks()) {
    std::vector<std::size_t>& units = chunks_.emplace_back();
    if (chunk.embedding) units.push_back(embedding);
    for (int layer = 0; layer < chunk.layers; ++layer)
      units.push_back(static_cast<std::size_t>(layers.kind_of(chunk.first_layer + layer)));
    if (chunk.head) units.push_back(embedding + 1);
  }
}

UnitFlow::Unit UnitFlow::unit_of(const StepContext& context, int rank, const GradientGroups& groups,
                                 const PartTotals& part, const TensorFormat& format) {
  Unit unit;
  unit.parameters = part.parameters;
  const SlowedKernelModel kernels = context.kernels_of(rank);
  const double gradient = static_cast<double>(bytes_of(recipe_.optimizer.grad_reduce_dtype));
  double own_bytes = 0;
  for (const GroupKind kind : kGradientGroups) {
    const std::int64_t parameters = part.reduced_over[static_cast<std::size_t>(kind)];
    const std::int64_t trained = part.trained_over[static_cast<std::size_t>(kind)];
    const GroupLayout& group = groups.of(kind);
    if (parameters == 0 || group.ranks == 1) continue;
    const auto call = [&](Collective collective, std::int64_t bytes) -> Call {
      return {context.grid.sharded_over(kind),
              step_.program.add_transfer(
                  plan_collective({collective, Bytes(bytes), group},
                                  {context.cluster.spec(), recipe_.software.library}))};
    };
    own_bytes += static_cast<double>(format.bytes_for(parameters)) / group.ranks;
    const std::int64_t adapters = kind == GroupKind::data ? part.adapters : 0;
    unit.gathers.push_back(
        call(Collective::all_gather, format.bytes_for(parameters - adapters) +
                                         recipe_.precision().activation.bytes_for(adapters)));
    if (trained == 0) continue;
    const std::int64_t gradients = trained * bytes_of(recipe_.optimizer.grad_reduce_dtype);
    unit.reductions.push_back(call(Collective::reduce_scatter, gradients));
    if (const auto copies = among_replicas(context, groups, kind, gradients))
      unit.reductions.back().copies = step_.program.add_transfer(*copies);
  }
  if (unit.gathers.empty()) return unit;
  if (recipe_.offload.offload_param)
    unit.from_host =
        step_.program.add_transfer(copy_from_host(context.cluster.spec().node, own_bytes));
  if (rules_.copies_parameters)
    unit.copy_out = step_.program.add_cost(
        streamed(kernels, 2 * static_cast<double>(format.bytes_for(unit.parameters))));
  const double packed = static_cast<double>(trained_parameters(part)) *
                        packing_bytes(rules_, recipe_.precision().activation.bytes(), gradient);
  if (packed > 0) unit.pack = step_.program.add_cost(streamed(kernels, packed));
  return unit;
}

const UnitFlow::Unit& UnitFlow::unit(const Task& task, std::size_t stretch) const {
  const std::vector<std::size_t>& kinds = chunks_[static_cast<std::size_t>(task.chunk)];
  const bool forward = task.forward();
  return units_[kinds[forward ? stretch : kinds.size() - 1 - stretch]];
}

bool UnitFlow::gathers(const Task& task) const {
  if (!task.forward()) return until_ == Gathered::forward;
  return until_ != Gathered::step || task.micro_batch == 0;
}

bool UnitFlow::gathers(const Task& task, std::size_t stretch) const {
  const Unit& which = unit(task, stretch);
  return gathers(task) && !which.gathers.empty() && (task.forward() || which.layer);
}

bool UnitFlow::reduces(const Task& task) const {
  return !task.forward() && (recipe_.pp() == 1 || task.completes);
}

/// How many units behind this one are gathered before its end.
std::size_t UnitFlow::ahead(const Task& task, std::size_t stretch) const {
  if (!recipe_.overlap.overlap_param_gather) return 0;
  const bool forward = task.forward();
  auto count = static_cast<std::size_t>(forward ? rules_.forward_ahead : rules_.backward_ahead);
  std::int64_t parameters = 0;
  for (std::size_t next = stretch + 1; next < units(task); ++next) {
    parameters += unit(task, next).parameters;
    if (parameters > rules_.parameters_ahead) break;
    count = std::max(count, next - stretch);
  }
  return count;
}

/// Gathers the units before `end` that are not on their way, after what is computed now.
void UnitFlow::gather_to(const Task& task, std::size_t end) {
  end = std::min(end, units(task));
  while (gathered_.size() < end) {
    std::uint32_t last = kNoOp;
    if (gathers(task, gathered_.size())) {
      const Unit& which = unit(task, gathered_.size());
      std::uint32_t ready = step_.last_compute;
      if (which.from_host != kNoOp)
        ready = step_.add_transfer(Stream::from_host, GroupKind::from_host, which.from_host,
                                   Label::offload, ready);
      for (const Call& call : which.gathers)
        last =
            step_.add_transfer(Stream::data, call.group, call.cost, Label::parameter_gather, ready);
    }
    gathered_.push_back(last);
  }
}

std::uint32_t UnitFlow::before(const Task& task, double /*parameters_done*/, std::size_t stretch) {
  const bool waits = !recipe_.overlap.overlap_grad_reduce;
  const std::uint32_t reduced = waits ? last_reduction_ : kNoOp;
  if (!gathers(task) || units(task) == 0) return reduced;
  if (stretch == 0) gathered_.clear();
  const std::size_t further = ahead(task, stretch);
  gather_to(task, stretch + std::max<std::size_t>(1, further));
  std::uint32_t own = gathered_[stretch];
  if (own != kNoOp && rules_.copies_parameters) {
    step_.repeat_compute(unit(task, stretch).copy_out, Label::parameter_gather, own);
    own = kNoOp;
  }
  gather_to(task, stretch + 1 + further);
  if (own == kNoOp) return reduced;
  if (reduced != kNoOp) step_.add_compute({}, Label::gradient_reduce, reduced);
  return own;
}

void UnitFlow::after(const Task& task, double /*parameters_done*/, std::size_t stretch) {
  if (!reduces(task) || units(task) == 0) return;
  const Unit& which = unit(task, stretch);
  if (which.reductions.empty()) return;
  const auto limit = static_cast<std::size_t>(rules_.reductions_ahead);
  const std::uint32_t before =
      limit > 0 && reductions_.size() >= limit ? reductions_[reductions_.size() - limit] : kNoOp;
  if (which.pack != kNoOp) step_.repeat_compute(which.pack, Label::gradient_reduce, before);
  for (const Call& call : which.reductions) {
    last_reduction_ = step_.add_transfer(Stream::data, call.group, call.cost,
                                         Label::gradient_reduce, step_.last_compute);
    reductions_.push_back(last_reduction_);
    if (call.copies != kNoOp)
      last_reduction_ = step_.add_transfer(Stream::replicas, GroupKind::shard_copies, call.copies,
                                           Label::gradient_reduce, last_reduction_);
  }
}

}  // namespace simtrain
