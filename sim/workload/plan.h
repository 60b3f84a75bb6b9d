#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/collectives/collective.h"
#include "sim/topology/link_sharing.h"
#include "sim/workload/kernel_model.h"

namespace simtrain {

/// The CUDA streams of a rank. Ops of one stream run in the order in which they stand.
enum class Stream : std::uint8_t {
  compute,
  tensor,
  context,
  data,
  send_forward,
  receive_forward,
  send_backward,
  receive_backward
};
inline constexpr std::size_t kStreams = 8;

/// The communicators of a rank. `self` is no communicator: the op needs nobody else. `replica` is
/// the tensor- and context-parallel group that works through a pass in lockstep. The last four are
/// the pairs with the neighbouring pipeline stages.
enum class GroupSlot : std::uint8_t {
  self,
  tensor,
  context,
  replica,
  data,
  model,
  to_next,
  from_previous,
  to_previous,
  from_next
};
inline constexpr std::size_t kGroupSlots = 10;

/// What time is spent on; the rows of a breakdown.
enum class Share : std::uint8_t {
  gemm,
  attention,
  memory_bound,
  fp8,
  embedding_loss,
  host,
  tensor_parallel,
  context_parallel,
  pipeline_parallel,
  data_parallel,
  bubble,
  optimizer,
  interference,
  stragglers
};
inline constexpr std::size_t kShares = 14;

template <>
struct EnumNames<Share> {
  static constexpr std::array rows{
      std::pair{std::string_view("gemm"), Share::gemm},
      std::pair{std::string_view("attention"), Share::attention},
      std::pair{std::string_view("memory_bound_kernels"), Share::memory_bound},
      std::pair{std::string_view("fp8_casts"), Share::fp8},
      std::pair{std::string_view("embedding_and_loss"), Share::embedding_loss},
      std::pair{std::string_view("host_launches"), Share::host},
      std::pair{std::string_view("tp_exposed"), Share::tensor_parallel},
      std::pair{std::string_view("cp_exposed"), Share::context_parallel},
      std::pair{std::string_view("pp_exposed"), Share::pipeline_parallel},
      std::pair{std::string_view("dp_exposed"), Share::data_parallel},
      std::pair{std::string_view("pipeline_bubble"), Share::bubble},
      std::pair{std::string_view("optimizer"), Share::optimizer},
      std::pair{std::string_view("overlap_slowdown"), Share::interference},
      std::pair{std::string_view("straggler_wait"), Share::stragglers}};
};

/// Seconds by share.
using Breakdown = std::array<double, kShares>;

inline double& part(Breakdown& breakdown, Share share) {
  return breakdown[static_cast<std::size_t>(share)];
}
inline double part(const Breakdown& breakdown, Share share) {
  return breakdown[static_cast<std::size_t>(share)];
}

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
  collective
};

/// Work of one compute op run alone. `parts` sum to `time`; the two shares say how much of it
/// stretches when SMs or memory bandwidth are taken by what runs beside it. `draw` is that of a
/// single kernel (KernelTime).
struct ComputeCost {
  Duration time{};
  double sm_bound = 0;
  double memory_bound = 0;
  double draw = 0;
  Breakdown parts{};
};

inline constexpr std::uint32_t kNoOp = 0xffffffffU;

/// One op of a rank's program. A compute op takes `cost` from the program's compute costs, any
/// other from its transfers. It starts when the op before it in its stream and the ops in `after`
/// have ended and all members of its group have come to their matching op.
struct Op {
  bool compute = true;
  Stream stream{};
  GroupSlot group{};
  Label label{};
  std::uint16_t chunk = 0;
  std::uint32_t micro_batch = 0;
  std::uint32_t cost = 0;
  std::array<std::uint32_t, 4> after{kNoOp, kNoOp, kNoOp, kNoOp};
};

/// What an op of a piece is, for those who look at it: its module in the words of Megatron, and its
/// kernel, or the type of the elements that it moves.
struct OpNote {
  std::string_view module;
  std::optional<Kernel> kernel{};
  DataType moved{};
};

/// What one class of ranks does in one step (or one pass), in host order.
struct Program {
  std::vector<ComputeCost> compute_costs;
  std::vector<TransferCost> transfers;
  std::vector<Op> ops;
  std::vector<OpNote> notes{};  ///< of a piece: by op

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

/// The links that calls of one algorithm load in a communicator.
struct LinkSet {
  Algorithm algorithm{};
  LinkLoad load;
  std::vector<LinkShare> links;
  [[nodiscard]] bool serves(const TransferCost& cost) const {
    return cost.algorithm == algorithm && cost.load == load;
  }
};

/// A communicator among simulated ranks: the k-th op of each member on it is one collective. Its
/// flow takes `links` (by the plan's ids), or those of the set that serves its algorithm. A group
/// whose other members are folded away has one member.
struct Group {
  std::vector<std::uint32_t> members;  ///< indices of simulated ranks
  std::vector<LinkShare> links;
  std::vector<LinkSet> link_sets{};

  /// Counted from 1, the link set that serves a call; 0 for `links`.
  [[nodiscard]] std::size_t set_of(const TransferCost& cost) const {
    std::size_t set = 0;
    while (set < link_sets.size() && !link_sets[set].serves(cost)) ++set;
    return set < link_sets.size() ? set + 1 : 0;
  }
  [[nodiscard]] const std::vector<LinkShare>& links_of(const TransferCost& cost) const {
    const std::size_t set = set_of(cost);
    return set == 0 ? links : link_sets[set - 1].links;
  }
};

/// A simulated rank: the program it runs and its group at each slot.
struct SimulatedRank {
  std::uint32_t program = 0;
  int rank = 0;   ///< the (first) rank of the job that it stands for
  int like = 0;   ///< the first rank of the job that is alike, simulated or not
  int stage = 0;  ///< pipeline stage
  std::array<std::uint32_t, kGroupSlots> groups{};
};

/// All that the executor needs. Immutable once built.
struct Plan {
  std::vector<Program> programs;
  std::vector<SimulatedRank> ranks;
  std::vector<Group> groups;
  std::vector<double> link_capacities;  ///< bytes per second by link id of the plan
  std::vector<int> cluster_links;       ///< link id in the cluster by link id of the plan
  int sm_count = 1;
  double memory_bandwidth = 1;  ///< bytes per second
  double overlap_slowdown = 0;  ///< of SM-bound work while data moves, beyond the SMs taken
};

}  // namespace simtrain
