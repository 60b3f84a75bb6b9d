#include "sim/run/pieces.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/run/engine/executor.h"
#include "sim/run/host_slack.h"
#include "sim/run/inner_traffic_of.h"
#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/plan/stragglers.h"

namespace simtrain {
namespace {

PieceCost cost_of(const SimulatedPiece& piece) {
  PieceCost cost;
  cost.time = piece.timeline.end;
  cost.inner = inner_traffic(piece.plan, piece.timeline);
  cost.parts = path_breakdown(piece.plan, piece.timeline, piece.path);
  const double length = to_seconds(cost.time);
  for (const PathStep& step : piece.path) {
    const Program& program = piece.plan.programs[piece.plan.ranks[step.rank].program];
    const Op& op = program.ops[step.op];
    if (!op.compute) continue;
    const Span& span = piece.timeline.span(step.rank, step.op);
    const double share = length > 0 ? to_seconds(span.end - span.start) / length : 0;
    cost.sm_bound += program.compute_costs[op.cost].sm_bound * share;
    cost.memory_bound += program.compute_costs[op.cost].memory_bound * share;
  }
  return cost;
}

/// Kernels of one op as the host launches them; `experts`: of those that it launches expert by
/// expert.
double launches_of(const OpNote& note, bool experts) {
  const Gemm* gemm = note.kernel ? std::get_if<Gemm>(&*note.kernel) : nullptr;
  const Streaming* streaming = note.kernel ? std::get_if<Streaming>(&*note.kernel) : nullptr;
  const int launches = gemm != nullptr        ? gemm->launches
                       : streaming != nullptr ? streaming->launches
                                              : 1;
  return experts == (launches > 1) ? launches : 0;
}

double kernels_in(const Program& program) {
  double kernels = 0;
  for (std::size_t i = 0; i < program.ops.size(); ++i)
    kernels += program.ops[i].compute ? launches_of(program.notes[i], false) : 0;
  return kernels;
}

/// What the host does for each kernel of a layer's program, in launches: as much as for each of a
/// layer of attention and MLP, which the software's figures are of.
double launches_of_kernel(const PassContext& context, const Piece& piece) {
  const Phase whole = piece.phase == Phase::forward ? Phase::forward : Phase::backward;
  Recipe usual = context.recipe;
  const LayerKind& kind = context.totals.layers().kinds()[static_cast<std::size_t>(piece.kind)];
  const int counted = usual.software.host_launches.of_layer(
      whole == Phase::forward, usual.precision().quantized() && !kind.high);
  usual.model.layers.reset();
  usual.model.hybrid_override_pattern.reset();
  usual.model.qk_layernorm = false;
  usual.lora.reset();
  const ModelTotals totals(usual);
  const std::vector<LayerKind>& kinds = totals.layers().kinds();
  const auto alike = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const LayerKind& other) { return other.high == kind.high; });
  const KernelContext like{{usual, totals, context.cluster, context.placement, context.grid},
                           context.kernels};
  const Program program =
      piece_program(like, {Part::layer, whole, static_cast<int>(alike - kinds.begin())}, 0);
  return counted / kernels_in(program);
}

/// Whether the host launches an op by itself, not with the CUDA graph of its layer.
bool launched_alone(const PassContext& context, const Program& program, std::size_t op) {
  const bool graph = context.recipe.cuda_graphs && !program.notes[op].sized_by_routing;
  return program.ops[op].compute && !graph;
}

/// Launches of each op of a layer's program, or of a pair of them, of all kernels in it.
std::vector<double> launches_by_op(const PassContext& context, const Program& program,
                                   const Piece& piece) {
  const bool paired = piece.part == Part::layer_pair;
  const double own = launches_of_kernel(
      context, {Part::layer, piece.phase, paired ? piece.backward_kind : piece.kind});
  const double other =
      paired ? launches_of_kernel(context, {Part::layer, Phase::forward, piece.kind}) : own;
  const auto& of_expert = context.recipe.software.host_launches.expert_gemm;
  const double by_expert = of_expert ? of_expert->value : 1;
  std::vector<double> launches;
  launches.reserve(program.ops.size());
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const OpNote& note = program.notes[i];
    const double each = program.ops[i].micro_batch > 0 ? other : own;
    launches.push_back(launched_alone(context, program, i)
                           ? each * launches_of(note, false) + by_expert * launches_of(note, true)
                           : 0);
  }
  return launches;
}

bool waits_for_gpu(const OpNote& note) {
  const Streaming* streaming = note.kernel ? std::get_if<Streaming>(&*note.kernel) : nullptr;
  return streaming != nullptr && streaming->launches == 0;
}

/// What the host does in a layer, or in a pair of them. Of a pair it waits for row counts not
/// before it launches the exchange that needs them, when it has launched kernels of the other pass
/// too.
std::vector<HostTask> host_tasks(const PassContext& context, const SimulatedPiece& simulated,
                                 const Piece& piece) {
  const Program& program = simulated.plan.programs.front();
  const std::vector<double> launches = launches_by_op(context, program, piece);
  const double latency = to_seconds(context.cluster.spec().node.host_launch_latency.value);
  std::vector<HostTask> tasks;
  tasks.reserve(launches.size() + 1);
  const bool paired = piece.part == Part::layer_pair;
  std::optional<HostTask> wait;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const OpNote& note = program.notes[i];
    const Op& op = program.ops[i];
    const Span& span = simulated.timeline.span(0, static_cast<std::uint32_t>(i));
    const bool due = !paired || (op.stream == Stream::expert && op.micro_batch > 0);
    if (wait && due) tasks.push_back(*std::exchange(wait, {}));
    const Duration needed = launches_of(note, true) > 0 ? span.end : span.start;
    tasks.push_back({.host_s = launches[i] * latency, .needed_s = to_seconds(needed)});
    if (waits_for_gpu(note)) wait = {.waits = true, .until_s = to_seconds(span.end)};
  }
  if (wait) tasks.push_back(*wait);
  return tasks;
}

void wait_for_host(SimulatedPiece& simulated, const PassContext& context, const Piece& piece) {
  const bool layers = piece.part == Part::layer || piece.part == Part::layer_pair;
  if (!layers || piece.phase == Phase::weight_cast) return;
  const Program& program = simulated.plan.programs.front();
  bool launches = false;
  for (std::size_t i = 0; i < program.ops.size() && !launches; ++i)
    launches = launched_alone(context, program, i);
  if (!launches) return;
  PieceCost& cost = simulated.cost;
  const double slack = host_slack(host_tasks(context, simulated, piece), to_seconds(cost.time));
  if (slack <= 0) return;
  part(cost.parts, Share::host) += slack;
  for (InnerTraffic& traffic : cost.inner) {
    for (double& delay : traffic.delay_s) delay = std::max(0.0, delay - slack);
  }
  cost.time += to_duration(slack);
}

/// The ranks of a TP x CP group meet in every piece.
void wait_for_stragglers(ComputeCost& cost, const PassContext& context) {
  const int ranks = context.grid.ranks_of(GroupKind::replica);
  append(cost, straggler_wait(context.cluster.spec().gpu.power, cost, 1, ranks), 1);
}

SimulatedPieces simulate_pass(const PassContext& context, int pass) {
  SimulatedPieces pieces(context.totals.kinds());
  for (const Piece& which : pieces_of(context.recipe)) {
    SimulatedPiece& piece = pieces[which];
    piece.plan = piece_plan(context, which, pass);
    piece.timeline = execute(piece.plan);
    piece.path = critical_path(piece.plan, piece.timeline);
    piece.cost = cost_of(piece);
    wait_for_stragglers(piece.cost, context);
    wait_for_host(piece, context, which);
  }
  return pieces;
}

}  // namespace

std::vector<SimulatedPieces> simulate_pieces(const PassContext& context) {
  const std::vector<int>& passes = context.classes.pass;
  const int count = *std::max_element(passes.begin(), passes.end()) + 1;
  std::vector<SimulatedPieces> simulated;
  simulated.reserve(static_cast<std::size_t>(count));
  for (int pass = 0; pass < count; ++pass) simulated.push_back(simulate_pass(context, pass));
  return simulated;
}

std::vector<PieceCosts> costs_of(const std::vector<SimulatedPieces>& passes) {
  std::vector<PieceCosts> costs;
  costs.reserve(passes.size());
  for (const SimulatedPieces& pieces : passes)
    costs.push_back(pieces.map([](const SimulatedPiece& piece) { return piece.cost; }));
  return costs;
}

}  // namespace simtrain
