#include "sim/measured/profiles/predicted_profile.h"

#include <algorithm>

#include "sim/measured/profiles/busy_time.h"
#include "sim/run/analysis/nccl_calls.h"
#include "sim/run/step/step_rank.h"

namespace simtrain {
namespace {

KernelKind kind_of(const Streaming& kernel, std::string_view module, const ComputeCost& cost) {
  switch (kernel.kind) {
    case StreamingKind::cast:
    case StreamingKind::block_cast:
    case StreamingKind::amax:
      return KernelKind::cast;
    case StreamingKind::norm_forward:
    case StreamingKind::norm_backward:
      return KernelKind::norm;
    case StreamingKind::cross_entropy:
      return KernelKind::loss;
    case StreamingKind::element_wise:
    case StreamingKind::row_add:
      break;
  }
  if (part(cost.parts, Share::attention) > 0) return KernelKind::attention;
  if (part(cost.parts, Share::fp8) > 0) return KernelKind::cast;
  if (module == "activation") return KernelKind::activation;
  return module == "cross_entropy" ? KernelKind::loss : KernelKind::element_wise;
}

KernelKind kind_of(const OpNote& note, const ComputeCost& cost) {
  const Kernel& kernel = *note.kernel;
  if (std::holds_alternative<Gemm>(kernel)) return KernelKind::gemm;
  if (std::holds_alternative<Attention>(kernel)) return KernelKind::attention;
  return kind_of(std::get<Streaming>(kernel), note.module, cost);
}

KernelKind kind_of(const TransferCost& cost) {
  if (cost.algorithm == Algorithm::user_buffers) return KernelKind::user_buffers;
  if (of_host(cost.algorithm)) return KernelKind::copy;
  if (!chosen_by_library(cost.algorithm)) return KernelKind::expert_exchange;
  switch (cost.collective) {
    case Collective::all_reduce:
      return KernelKind::nccl_all_reduce;
    case Collective::all_gather:
      return KernelKind::nccl_all_gather;
    case Collective::reduce_scatter:
      return KernelKind::nccl_reduce_scatter;
    case Collective::broadcast:
      return KernelKind::nccl_broadcast;
    case Collective::all_to_all:
    case Collective::send_receive:
    case Collective::none:
      break;
  }
  return KernelKind::nccl_send_receive;
}

/// When the ops of a program could start: those before them in their stream, and those that they
/// come after, have ended.
class Readiness {
 public:
  /// Asked of each op once, in the order of the program; `span_of` gives the time of an op.
  template <class SpanOf>
  Duration next(const Op& op, const Span& own, const SpanOf& span_of) {
    Duration& last = last_[static_cast<std::size_t>(op.stream)];
    Duration ready = last;
    for (const std::uint32_t before : op.after) {
      if (before != kNoOp) ready = std::max(ready, span_of(before).end);
    }
    last = own.end;
    return std::min(ready, own.start);
  }

 private:
  std::array<Duration, kStreams> last_{};
};

/// Sums the kernels of one rank.
class Profiler {
 public:
  Profiler(const SimulatedStep& simulated, int rank) : rank_(simulated, rank) { sum(); }

  [[nodiscard]] const PredictedProfile& profile() const { return profile_; }

 private:
  void sum() {
    const Program& program = rank_.program();
    Readiness readiness;
    for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      const Span& span = rank_.span(i);
      const Duration ready = readiness.next(
          op, span, [&](std::uint32_t other) -> const Span& { return rank_.span(other); });
      if (op.compute) {
        compute(i, program.compute_costs[op.cost]);
      } else if (const TransferCost& cost = program.transfers[op.cost]; cost.wire.value() > 0) {
        add(kind_of(cost), ready, span.start, span.end);
      }
    }
    if (const auto sums = busy_.sums()) profile_.busy_s = to_seconds(Duration(sums->busy));
  }

  /// A kernel that is on the GPU from `ready` on.
  void add(KernelKind kind, Duration ready, Duration start, Duration end) {
    busy_.add(ready.count(), end.count());
    PredictedKernels& sum = profile_.kernels[static_cast<std::size_t>(kind)];
    ++sum.calls;
    sum.seconds += to_seconds(end - start);
    sum.waiting_s += to_seconds(start - ready);
  }

  /// Ops that only wait, for the host or for stragglers, are no kernels.
  void compute(std::uint32_t op_index, const ComputeCost& cost) {
    const Op& op = rank_.program().ops[op_index];
    const Span& span = rank_.span(op_index);
    profile_.straggler_wait_s += part(cost.parts, Share::stragglers);
    if (op.label == Label::optimizer ||
        (op.label == Label::gradient_norm && part(cost.parts, Share::host) <= 0)) {
      add(KernelKind::optimizer, span.start, span.start, span.end);
      return;
    }
    const std::vector<PieceRun> runs = rank_.pieces(op_index);
    for (const PieceRun& run : runs) piece(op_index, run);
    if (!runs.empty())
      busy_.add(rank_.at(op_index, runs.back().end).count(), span.end.count());
    else if (part(cost.parts, Share::stragglers) > 0)
      busy_.add(span.start.count(), span.end.count());
  }

  void piece(std::uint32_t op_index, const PieceRun& run) {
    const SimulatedPiece& simulated = *run.simulated;
    const std::uint32_t place = rank_.place_in(simulated);
    const Program& program = simulated.plan.programs[simulated.plan.ranks[place].program];
    const auto at = [&](Duration own) { return rank_.at(op_index, run.start + own); };
    Readiness readiness;
    for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      const Span& span = simulated.timeline.span(place, i);
      const Duration ready = readiness.next(op, span, [&](std::uint32_t other) -> const Span& {
        return simulated.timeline.span(place, other);
      });
      const Duration start = at(span.start);
      const Duration end = at(span.end);
      if (op.compute) {
        add(kind_of(program.notes[i], program.compute_costs[op.cost]), start, start, end);
      } else if (const TransferCost& cost = program.transfers[op.cost]; cost.wire.value() > 0) {
        add(kind_of(cost), at(ready), start, end);
      }
    }
    // After its kernels a piece waits for stragglers first, then for the host.
    const Duration kernels_end = simulated.timeline.end;
    const Duration waited = to_duration(part(simulated.cost.parts, Share::stragglers));
    busy_.add(at(kernels_end).count(), at(kernels_end + waited).count());
  }

  StepRank rank_;
  PredictedProfile profile_;
  BusyTime busy_;
};

}  // namespace

PredictedProfile predicted_profile(const SimulatedStep& simulated, int rank) {
  return Profiler(simulated, rank).profile();
}

CallCounts predicted_calls(const SimulatedStep& simulated, int rank) {
  CallCounts counts;
  for_each_nccl_call(simulated, rank, [&](const NcclCall& call) {
    const int ranks = is_message(call.function) ? 0 : static_cast<int>(call.group.ranks.size());
    ++counts[{call.function, ranks, call.type, call.count}];
  });
  return counts;
}

}  // namespace simtrain
