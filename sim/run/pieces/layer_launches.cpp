#include "sim/run/pieces/layer_launches.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/workload/plan/program/step_plan.h"

namespace simtrain {
namespace {

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

bool waits_for_gpu(const OpNote& note) {
  const Streaming* streaming = note.kernel ? std::get_if<Streaming>(&*note.kernel) : nullptr;
  return streaming != nullptr && streaming->launches == 0;
}

/// With layers of attention and MLP alone, of which nothing runs again: those that the software's
/// figures are of.
Recipe of_usual_layers(Recipe recipe) {
  recipe.recompute = Recompute::none;
  recipe.model.layers.reset();
  recipe.model.hybrid_override_pattern.reset();
  recipe.model.qk_layernorm = false;
  recipe.lora.reset();
  return recipe;
}

}  // namespace

LayerLaunches::LayerLaunches(const PassContext& context) : context_(context) {
  const Recipe usual = of_usual_layers(context.recipe);
  const ModelTotals totals(usual);
  const KernelContext like{{usual, totals, context.cluster, context.placement, context.grid},
                           context.kernels};
  const std::vector<LayerKind>& kinds = totals.layers().kinds();
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const auto high = static_cast<std::size_t>(kinds[kind].high);
    if (forward_[high] > 0) continue;
    const bool quantized = usual.precision().quantized() && !kinds[kind].high;
    const auto of_each = [&](Phase whole) {
      const int counted = usual.software.host_launches.of_layer(whole == Phase::forward, quantized);
      const Piece layer{Part::layer, whole, static_cast<int>(kind)};
      return counted / kernels_in(piece_program(like, layer, 0));
    };
    forward_[high] = of_each(Phase::forward);
    backward_[high] = of_each(Phase::backward);
  }
}

double LayerLaunches::of_kernel(Phase phase, int kind) const {
  const LayerKind& layer = context_.totals.layers().kinds()[static_cast<std::size_t>(kind)];
  return (phase == Phase::forward ? forward_ : backward_)[static_cast<std::size_t>(layer.high)];
}

bool LayerLaunches::alone(const Program& program, std::size_t op) const {
  const bool graph = context_.recipe.cuda_graphs && !program.notes[op].sized_by_routing;
  return program.ops[op].compute && !graph;
}

std::vector<double> LayerLaunches::by_op(const Program& program, const Piece& piece) const {
  const bool paired = piece.part == Part::layer_pair;
  const double own = of_kernel(piece.phase, paired ? piece.backward_kind : piece.kind);
  const double other = paired ? of_kernel(Phase::forward, piece.kind) : own;
  const auto& of_expert = context_.recipe.software.host_launches.expert_gemm;
  const double by_expert = of_expert ? of_expert->value : 1;
  std::vector<double> launches;
  launches.reserve(program.ops.size());
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const OpNote& note = program.notes[i];
    const double each = program.ops[i].micro_batch > 0 ? other : own;
    launches.push_back(alone(program, i)
                           ? each * launches_of(note, false) + by_expert * launches_of(note, true)
                           : 0);
  }
  return launches;
}

/// Of a pair the host waits for row counts not before it launches the exchange that needs them,
/// when it has launched kernels of the other pass too.
std::vector<HostTask> LayerLaunches::tasks(const Piece& piece, const ExecutedPiece& run) const {
  const Program& program = run.plan.programs.front();
  const std::vector<double> launches = by_op(program, piece);
  const double latency = to_seconds(context_.cluster.spec().node.host_launch_latency.value);
  std::vector<HostTask> tasks;
  tasks.reserve(launches.size() + 1);
  const bool paired = piece.part == Part::layer_pair;
  std::optional<HostTask> wait;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const OpNote& note = program.notes[i];
    const Op& op = program.ops[i];
    const Span& span = run.timeline.span(0, static_cast<std::uint32_t>(i));
    const bool due = !paired || (op.stream == Stream::expert && op.micro_batch > 0);
    if (wait && due) tasks.push_back(*std::exchange(wait, {}));
    const Duration needed = launches_of(note, true) > 0 ? span.end : span.start;
    tasks.push_back({.host_s = launches[i] * latency, .needed_s = to_seconds(needed)});
    if (waits_for_gpu(note)) wait = {.waits = true, .until_s = to_seconds(span.end)};
  }
  if (wait) tasks.push_back(*wait);
  return tasks;
}

double LayerLaunches::slack_s(const Piece& piece, const ExecutedPiece& run, double piece_s) const {
  const bool layers = piece.part == Part::layer || piece.part == Part::layer_pair;
  if (!layers || piece.phase == Phase::weight_cast) return 0;
  const Program& program = run.plan.programs.front();
  bool launches = false;
  for (std::size_t i = 0; i < program.ops.size() && !launches; ++i) launches = alone(program, i);
  if (!launches) return 0;
  const std::vector<HostTask> host = tasks(piece, run);
  return context_.recipe.cuda_launch_blocking ? launches_s(host) : host_slack(host, piece_s);
}

}  // namespace simtrain
