#include "sim/output/trace/trace_rank.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/output/trace/trace_names.h"
#include "sim/run/energy/step_draws.h"

namespace simtrain {
namespace {

constexpr std::array<std::string_view, kStreams> kStreamNames{"compute",
                                                              "tensor parallel",
                                                              "context parallel",
                                                              "data parallel",
                                                              "send forward",
                                                              "receive forward",
                                                              "send backward",
                                                              "receive backward",
                                                              "replicas",
                                                              "send forward, back",
                                                              "receive forward, back",
                                                              "send backward, back",
                                                              "receive backward, back",
                                                              "expert parallel",
                                                              "to host",
                                                              "from host"};
/// Flows of chunks on their way back are numbered from here on.
constexpr std::uint64_t kBackFlows = std::uint64_t{1} << 62;
constexpr double kBusyStep = 0.1;  // per cent
constexpr double kRateStep = 0.1;  // GB/s
constexpr int kBusyTrack = 101;
constexpr int kNvlinkTrack = 102;
constexpr int kNicTrack = 103;
constexpr int kMemoryTrack = 104;
constexpr int kPowerTrack = 105;
constexpr double kPowerStep = 0.1;  // W

bool is_message(const Op& op) { return op.label == Label::send || op.label == Label::receive; }
bool receives(Stream stream) {
  return stream == Stream::receive_forward || stream == Stream::receive_backward ||
         stream == Stream::receive_forward_back || stream == Stream::receive_backward_back;
}
bool is_forward(Stream stream) {
  return stream == Stream::send_forward || stream == Stream::receive_forward ||
         stream == Stream::send_forward_back || stream == Stream::receive_forward_back;
}
/// Of a chunk on its way back through the stages.
bool goes_back(Stream stream) { return stream >= Stream::send_forward_back; }

std::string piece_name(const PieceRun& run) {
  const Phase phase = run.piece.phase;
  switch (run.piece.part) {
    case Part::layer:
    case Part::layer_pair:
      return phase == Phase::weight_cast ? "FP8 weight cast" : fmt::format("layer {}", run.layer);
    case Part::embedding:
      return "embedding";
    case Part::head:
      if (phase == Phase::forward) return "head and loss";
      return phase == Phase::weight_gradient ? "head wgrad" : "head";
    case Part::amax:
      return "FP8 amax";
  }
  return {};
}

/// Of a compute op, the part in which its GPU works.
double working(const ComputeCost& cost) {
  const double time = to_seconds(cost.time);
  const double waits = part(cost.parts, Share::host) + part(cost.parts, Share::stragglers);
  return time > 0 ? 1 - waits / time : 0;
}

bool moves(const Program& program, const Op& op) {
  return !op.compute && program.transfers[op.cost].wire.value() > 0;
}

}  // namespace

RankTrace::RankTrace(const SimulatedStep& simulated, const TraceSelection& selection, int rank,
                     TraceWriter& writer)
    : simulated_(simulated),
      selection_(selection),
      rank_(simulated, rank),
      writer_(writer),
      work_(rank_.program().compute_costs.size()) {}

TrackId RankTrace::track(Stream stream) const {
  return {rank_.rank() + 2, static_cast<int>(stream) + 1};
}

std::set<Stream> RankTrace::streams() const {
  std::set<Stream> used{Stream::compute};
  const auto add = [&](const Program& program) {
    for (const Op& op : program.ops) {
      if (moves(program, op)) used.insert(op.stream);
    }
  };
  add(rank_.program());
  for (const SimulatedPiece& piece : simulated_.pieces_of(rank_.rank())) {
    for (const Program& program : piece.plan.programs) add(program);
  }
  return used;
}

void RankTrace::declare(int place) {
  std::string name = fmt::format("rank {}, stage {}", rank_.rank(), rank_.stage());
  const auto& representatives = simulated_.classes.step_representative;
  const auto alike =
      std::count(representatives.begin(), representatives.end(), rank_.representative());
  if (rank_.representative() != rank_.rank()) {
    name += fmt::format(" (as rank {})", rank_.representative());
  } else if (alike > 1) {
    name += fmt::format(" (as {} like it)", alike - 1);
  }
  writer_.process(track(Stream::compute).process, name, place);
  for (const Stream stream : streams()) writer_.track(track(stream), name_of_stream(stream));
  const int process = track(Stream::compute).process;
  writer_.counter({process, kBusyTrack}, "GPU busy", "%");
  writer_.counter({process, kNvlinkTrack}, "NVLink sent", "GB/s");
  writer_.counter({process, kNicTrack}, "NIC sent", "GB/s");
  writer_.counter({process, kMemoryTrack}, "memory allocated", "B");
  writer_.counter({process, kPowerTrack}, "GPU power", "W");
}

std::string_view RankTrace::name_of_stream(Stream stream) const {
  const Recipe& recipe = simulated_.scenario.recipe;
  const bool exchanges = recipe.overlap.overlap_moe_expert_parallel_comm;
  if (stream == kHostStream && recipe.offload.optimizer_cpu_offload)
    return exchanges ? "expert parallel, host processors" : "host processors";
  return kStreamNames[static_cast<std::size_t>(stream)];
}

bool RankTrace::detailed(const Op& op) const {
  return selection_.micro_batches.contains(static_cast<int>(op.micro_batch));
}

std::vector<Span> RankTrace::windows() const {
  std::vector<Span> windows;
  const auto& ops = rank_.program().ops;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const Span& span = rank_.span(i);
    if (!ops[i].compute || !is_pass(ops[i]) || !detailed(ops[i]) || span.end <= span.start)
      continue;
    if (!windows.empty() && windows.back().end == span.start) {
      windows.back().end = span.end;
    } else {
      windows.push_back(span);
    }
  }
  return windows;
}

/// Messages of a pair of ranks in one direction are numbered alike on both sides.
FlowEnd RankTrace::flow(const Op& op, std::uint64_t number) const {
  const bool sends = op.label == Label::send;
  const bool forward = is_forward(op.stream);
  const bool back = goes_back(op.stream);
  const int to = forward == back ? -1 : 1;
  const int peer = simulated_.grid.stage_neighbour(rank_.rank(), sends ? to : -to);
  if (!selection_.ranks.contains(peer)) return {};
  const auto sender = static_cast<std::uint64_t>(sends ? rank_.rank() : peer);
  const auto ranks = static_cast<std::uint64_t>(simulated_.grid.ranks());
  return {sends ? FlowEnd::Role::begins : FlowEnd::Role::arrives,
          2 * (number * ranks + sender) + (forward ? 1 : 2) + (back ? kBackFlows : 0)};
}

void RankTrace::slice(TrackId track, const Span& span, const TraceSlice& slice) {
  if (span.end <= span.start) return;
  writer_.begin(track, span.start, slice);
  writer_.end(track, span.end);
}

void RankTrace::write() {
  const std::vector<Span> close = windows();
  const Duration end = simulated_.timeline.end;
  Counters counters{{end, close, kBusyStep}, {end, close, kRateStep}, {end, close, kRateStep}};
  const auto& ops = rank_.program().ops;
  std::array<std::uint64_t, kStreams> numbers{};
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    if (op.compute) {
      compute(i, counters);
      continue;
    }
    const std::uint64_t number = numbers[static_cast<std::size_t>(op.stream)]++;
    if (receives(op.stream) || !moves(rank_.program(), op)) continue;
    count_transfer(rank_.program().transfers[op.cost], rank_.span(i), counters);
    if (!is_message(op)) {
      transfer(i, {});
    } else if (detailed(op)) {
      transfer(i, flow(op, number));
    }
  }
  write_counters(counters);
}

void RankTrace::write_receives() {
  const auto& ops = rank_.program().ops;
  std::array<std::uint64_t, kStreams> numbers{};
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (ops[i].compute || !receives(ops[i].stream)) continue;
    const std::uint64_t number = numbers[static_cast<std::size_t>(ops[i].stream)]++;
    if (detailed(ops[i]) && moves(rank_.program(), ops[i])) transfer(i, flow(ops[i], number));
  }
}

void RankTrace::transfer(std::uint32_t op_index, const FlowEnd& flow) {
  const Op& op = rank_.program().ops[op_index];
  const Span& span = rank_.span(op_index);
  TraceSlice shown = transfer_slice(library(), rank_.program().transfers[op.cost], "",
                                    rank_.group(op.group).size(), span.end - span.start);
  if (is_message(op)) {
    shown.name = fmt::format("{} mb {} chunk {}", shown.name, op.micro_batch, op.chunk);
  } else if (op.label == Label::parameter_gather) {
    shown.name += " parameters";
  } else if (op.label == Label::gradient_reduce) {
    shown.name += " gradients";
  }
  shown.flow = flow;
  slice(track(op.stream), span, shown);
}

void RankTrace::count_transfer(const TransferCost& cost, const Span& span,
                               Counters& counters) const {
  const auto wire = static_cast<double>(cost.wire.value());
  counters.nvlink.add(span, wire * cost.load.nvlink / 1e9);
  counters.nic.add(span, wire * cost.load.nic / 1e9);
}

void RankTrace::compute(std::uint32_t op_index, Counters& counters) {
  const Op& op = rank_.program().ops[op_index];
  const Span& span = rank_.span(op_index);
  if (span.end <= span.start) return;
  const ComputeCost& cost = rank_.program().compute_costs[op.cost];
  const double seconds = to_seconds(span.end - span.start);
  if (!is_pass(op)) {
    slice(track(Stream::compute), span, own_slice(op, cost, op_index == 0));
    counters.busy.add(span, 100 * seconds * working(cost));
    return;
  }
  const Recipe& recipe = simulated_.scenario.recipe;
  const bool chunks = recipe.vp() * pipeline_shape(recipe, 1).copies() > 1;
  TraceSlice shown = pass_slice(op, chunks, cost.time, span.end - span.start);
  if (detailed(op)) {
    writer_.begin(track(Stream::compute), span.start, shown);
    inside(op_index, counters);
    writer_.end(track(Stream::compute), span.end);
    return;
  }
  shown.arguments.clear();
  slice(track(Stream::compute), span, shown);
  const Work& done = work(op_index);
  const double alone = to_seconds(cost.time);
  counters.busy.add(span, 100 * seconds * done.busy);
  counters.nvlink.add(span, alone * done.nvlink / 1e9);
  counters.nic.add(span, alone * done.nic / 1e9);
}

void RankTrace::inside(std::uint32_t op, Counters& counters) {
  Duration done{};
  for (const PieceRun& run : rank_.pieces(op)) {
    piece(op, run, counters);
    done = run.end;
  }
  slice(track(Stream::compute), {rank_.at(op, done), rank_.span(op).end},
        {"wait for the slowest replica", "wait"});
}

void RankTrace::piece(std::uint32_t op, const PieceRun& run, Counters& counters) {
  const SimulatedPiece& simulated = *run.simulated;
  const std::uint32_t place = rank_.place_in(simulated);
  const Program& program = simulated.plan.programs[simulated.plan.ranks[place].program];
  const Span whole{rank_.at(op, run.start), rank_.at(op, run.end)};
  if (whole.end <= whole.start) return;
  writer_.begin(track(Stream::compute), whole.start, {piece_name(run), "layer"});
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const Op& inner = program.ops[i];
    const Span& own = simulated.timeline.span(place, i);
    const Span span{rank_.at(op, run.start + own.start), rank_.at(op, run.start + own.end)};
    const Duration time = span.end - span.start;
    if (time.count() <= 0) continue;
    const OpNote& note = program.notes[i];
    if (inner.compute) {
      slice(track(Stream::compute), span, kernel_slice(note, time));
      counters.busy.add(span, 100 * to_seconds(time));
    } else if (moves(program, inner)) {
      const TransferCost& cost = program.transfers[inner.cost];
      const std::size_t ranks = rank_.group(inner.group).size();
      slice(track(inner.stream), span, transfer_slice(library(), cost, note.module, ranks, time));
      count_transfer(cost, span, counters);
    }
  }
  waits(op, run);
  writer_.end(track(Stream::compute), whole.end);
}

/// What a piece takes beyond its own events: first for the slowest rank, then for the host.
void RankTrace::waits(std::uint32_t op, const PieceRun& run) {
  const SimulatedPiece& simulated = *run.simulated;
  const Duration host = to_duration(part(simulated.cost.parts, Share::host));
  const Duration simulated_until = run.start + simulated.timeline.end;
  const Duration waited_until = std::max(simulated_until, run.end - host);
  slice(track(Stream::compute), {rank_.at(op, simulated_until), rank_.at(op, waited_until)},
        {"wait for the slowest rank", "wait"});
  slice(track(Stream::compute), {rank_.at(op, waited_until), rank_.at(op, run.end)},
        {"wait for the host's launches", "wait"});
}

const RankTrace::Work& RankTrace::work(std::uint32_t op_index) {
  const std::uint32_t cost = rank_.program().ops[op_index].cost;
  std::optional<Work>& known = work_[cost];
  if (known) return *known;
  Work sum;
  for (const PieceRun& run : rank_.pieces(op_index)) {
    const SimulatedPiece& simulated = *run.simulated;
    const std::uint32_t place = rank_.place_in(simulated);
    const Program& program = simulated.plan.programs[simulated.plan.ranks[place].program];
    for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
      const Op& inner = program.ops[i];
      const Span& span = simulated.timeline.span(place, i);
      if (inner.compute) {
        sum.busy += to_seconds(span.end - span.start);
        continue;
      }
      const TransferCost& transfer = program.transfers[inner.cost];
      sum.nvlink += static_cast<double>(transfer.wire.value()) * transfer.load.nvlink;
      sum.nic += static_cast<double>(transfer.wire.value()) * transfer.load.nic;
    }
  }
  const double alone = to_seconds(rank_.program().compute_costs[cost].time);
  known = alone > 0 ? Work{sum.busy / alone, sum.nvlink / alone, sum.nic / alone} : Work{};
  return *known;
}

void RankTrace::write_counters(const Counters& counters) {
  const int process = track(Stream::compute).process;
  for (const auto& [time, value] : counters.busy.values())
    writer_.value({process, kBusyTrack}, time, value);
  for (const auto& [time, value] : counters.nvlink.values())
    writer_.value({process, kNvlinkTrack}, time, value);
  for (const auto& [time, value] : counters.nic.values())
    writer_.value({process, kNicTrack}, time, value);
  for (const auto& [time, value] : held_bytes(memory(), simulated_.timeline.end, windows()))
    writer_.value({process, kMemoryTrack}, time, value);
  TraceCounter power(simulated_.timeline.end, windows(), kPowerStep);
  const StepDraws draws(simulated_, rank_);
  draws.walk([&](const Span& span, const DrawState& state) {
    power.add(span, draws.sum(state) * to_seconds(span.end - span.start));
  });
  for (const auto& [time, value] : power.values())
    writer_.value({process, kPowerTrack}, time, value);
}

RankMemory RankTrace::memory() const {
  const auto& ranks = simulated_.plan.ranks;
  const auto simulated = std::find_if(ranks.begin(), ranks.end(), [&](const SimulatedRank& rank) {
    return rank.rank == rank_.representative();
  });
  return rank_memory(simulated_.scenario.recipe, simulated_.cluster.spec().gpu, simulated_.grid,
                     simulated_.plan, simulated_.timeline,
                     static_cast<std::size_t>(simulated - ranks.begin()));
}

}  // namespace simtrain
