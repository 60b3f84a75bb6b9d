#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/collectives/transfer_cost.h"
#include "sim/workload/kernels/inner_traffic.h"
#include "sim/workload/kernels/kernel_model.h"
#include "sim/workload/parallel/groups.h"
#include "sim/workload/parallel/share.h"

namespace simtrain {

/// The CUDA streams of a rank. Ops of one stream run in the order of the program.
enum class Stream : std::uint8_t {
  compute,
  tensor,
  context,
  data,
  send_forward,
  receive_forward,
  send_backward,
  receive_backward,
  replicas,  ///< reductions among groups that each hold all of a sharded state
  /// Messages of chunks on their way back through the stages (GroupKind::back_to_previous).
  send_forward_back,
  receive_forward_back,
  send_backward_back,
  receive_backward_back,
  expert,  ///< exchanges of tokens beside the kernels of another micro-batch
  to_host,
  from_host
};
inline constexpr std::size_t kStreams = 16;
/// What the host computes for a rank is in a stream that steps have no other use for: pieces alone
/// exchange tokens.
inline constexpr Stream kHostStream = Stream::expert;

/// What a step's ops do, for reports and for the names in a blocked program.
enum class Label : std::uint8_t {
  kernel,
  forward,
  backward,
  weight_gradient,
  parameter_gather,
  gradient_reduce,
  gradient_norm,
  optimizer,
  send,
  receive,
  collective,
  input_gradient,       ///< of a pass whose backward is cut
  cut_weight_gradient,  ///< of the same, run later; `weight_gradient` are those of the flush
  offload               ///< a copy to or from the host, or what waits for one
};

inline constexpr std::uint32_t kNoOp = 0xffffffffU;
inline constexpr std::uint32_t kNoTraffic = 0xffffffffU;

/// Work of one compute op run alone. `parts` sum to `time`; the two shares say how much of it
/// stretches when SMs or memory bandwidth are taken by what runs beside it. `draw` is that of a
/// single kernel (KernelTime). A pass holds transfers inside: `traffic` is their place in
/// Program::inner.
struct ComputeCost {
  Duration time{};
  double sm_bound = 0;
  double memory_bound = 0;
  double draw = 0;
  Breakdown parts{};
  std::uint32_t traffic = kNoTraffic;

  bool operator==(const ComputeCost&) const = default;
};

/// One op of a rank's program. A compute op takes `cost` from the program's compute costs, any
/// other from its transfers. It starts when the op before it in its stream and the ops in `after`
/// have ended and all members of its group have come to their matching op.
struct Op {
  bool compute = true;
  Stream stream{};
  GroupKind group{};
  Label label{};
  std::uint16_t chunk = 0;
  std::int16_t beside = -1;  ///< of a pass in a combined pair: the own chunk of the other pass
  std::uint32_t micro_batch = 0;
  std::uint32_t cost = 0;
  std::array<std::uint32_t, 4> after{kNoOp, kNoOp, kNoOp, kNoOp};
};

/// Whether an op is part of a forward or backward pass.
constexpr bool is_pass(const Op& op) {
  return op.label == Label::forward || op.label == Label::backward ||
         op.label == Label::input_gradient || op.label == Label::cut_weight_gradient;
}

/// Whether two ops are of one pass: one phase, model chunk and micro-batch.
constexpr bool same_pass(const Op& one, const Op& other) {
  return one.label == other.label && one.chunk == other.chunk &&
         one.micro_batch == other.micro_batch;
}

/// What an op of a piece is, for those who look at it: its module in the words of Megatron, and its
/// kernel, or the type of the elements that it moves.
struct OpNote {
  std::string_view module;
  std::optional<Kernel> kernel{};
  DataType moved{};
  bool sized_by_routing = false;  ///< in no CUDA graph: the host learns its sizes on the way
};

/// What one class of ranks does in one step (or one pass), in host order.
struct Program {
  std::vector<ComputeCost> compute_costs;
  std::vector<TransferCost> transfers;
  std::vector<PassTraffic> inner{};  ///< of passes; by kind of group of the same call, or none
  std::vector<Op> ops;
  std::vector<OpNote> notes{};  ///< of a piece: by op
  ComputeCost passes{};         ///< of a step: all its passes as one

  std::uint32_t add(Op op) {
    ops.push_back(op);
    return static_cast<std::uint32_t>(ops.size() - 1);
  }
  std::uint32_t add_cost(const ComputeCost& cost) {
    compute_costs.push_back(cost);
    return static_cast<std::uint32_t>(compute_costs.size() - 1);
  }
  std::uint32_t add_transfer(const TransferCost& cost) {
    transfers.push_back(cost);
    return static_cast<std::uint32_t>(transfers.size() - 1);
  }
};

}  // namespace simtrain
