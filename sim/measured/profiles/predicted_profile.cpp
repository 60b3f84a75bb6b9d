#include "sim/measured/profiles/predicted_profile.h"

#include <algorithm>
#include <numeric>

#include "sim/measured/profiles/busy_time.h"
#include "sim/run/analysis/nccl_calls.h"
#include "sim/run/step_rank.h"

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

  [[nodiscard]] const PredictedProfile& sums() const { return sums_; }
  [[nodiscard]] double busy_s() {
    const auto sums = busy_.sums();
    return sums ? to_seconds(Duration(sums->busy)) : 0;
  }

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
  }

  /// A kernel that is on the GPU from `ready` on.
  void add(KernelKind kind, Duration ready, Duration start, Duration end) {
    busy_.add(ready.count(), end.count());
    PredictedKernels& sum = sums_[static_cast<std::size_t>(kind)];
    ++sum.calls;
    sum.seconds += to_seconds(end - start);
    sum.waiting_s += to_seconds(start - ready);
  }

  /// Ops that only wait, for the host or for stragglers, are no kernels.
  void compute(std::uint32_t op_index, const ComputeCost& cost) {
    const Op& op = rank_.program().ops[op_index];
    if (op.label == Label::optimizer ||
        (op.label == Label::gradient_norm && part(cost.parts, Share::host) <= 0)) {
      const Span& span = rank_.span(op_index);
      add(KernelKind::optimizer, span.start, span.start, span.end);
      return;
    }
    for (const PieceRun& run : rank_.pieces(op_index)) piece(op_index, run);
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
  }

  StepRank rank_;
  PredictedProfile sums_{};
  BusyTime busy_;
};

}  // namespace

PredictedProfile predicted_profile(const SimulatedStep& simulated, int rank) {
  return Profiler(simulated, rank).sums();
}

double predicted_busy(const SimulatedStep& simulated, int rank) {
  return Profiler(simulated, rank).busy_s();
}

double predicted_straggler_wait(const SimulatedStep& simulated, int rank) {
  const StepRank own(simulated, rank);
  const Program& program = own.program();
  return std::accumulate(
      program.ops.begin(), program.ops.end(), 0.0, [&](double sum, const Op& op) {
        if (!op.compute) return sum;
        return sum + part(program.compute_costs[op.cost].parts, Share::stragglers);
      });
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
