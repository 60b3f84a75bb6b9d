#include "sim/output/nccl_trace.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sim/core/fingerprint.h"
#include "sim/core/packed_file.h"
#include "sim/output/trace_names.h"
#include "sim/run/communication.h"
#include "sim/run/critical_path.h"
#include "sim/run/played_rank.h"

namespace simtrain {
namespace {

/// One transfer that a rank takes part in, wherever in its step.
struct Call {
  const TransferCost& cost;
  const Op& op;
  DataType moved;
  bool amax = false;
};

DataType type_of_step(const Recipe& recipe, const Op& op) {
  switch (op.label) {
    case Label::parameter_gather:
      return recipe.training.fp8_params ? DataType::fp8 : DataType::bf16;
    case Label::gradient_reduce:
      return recipe.optimizer.grad_reduce_dtype;
    case Label::gradient_norm:
      return DataType::fp32;
    default:
      return DataType::bf16;
  }
}

/// Calls `visit` with every transfer of a rank that moves something, in host order.
void for_each_call(const Played& played, const PlayedRank& rank,
                   const std::function<void(const Call&)>& visit) {
  const Program& program = rank.program();
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (!op.compute) {
      const TransferCost& cost = program.transfers[op.cost];
      if (cost.wire.value() > 0) visit({cost, op, type_of_step(played.scenario.recipe, op)});
      continue;
    }
    for (const PieceRun& run : rank.pieces(i)) {
      const PlayedPiece& piece = rank.played(run.piece);
      const Program& inner = piece.plan.programs[piece.plan.ranks[rank.place_in(piece)].program];
      for (std::size_t j = 0; j < inner.ops.size(); ++j) {
        if (inner.ops[j].compute) continue;
        const TransferCost& cost = inner.transfers[inner.ops[j].cost];
        if (cost.wire.value() > 0)
          visit({cost, inner.ops[j], inner.notes[j].moved, run.piece == Piece::amax});
      }
    }
  }
}

/// ncclDataType_t; FP8 tensors are gathered as bytes.
int nccl_type(DataType type) {
  constexpr int kUint8 = 1;
  constexpr int kFloat32 = 7;
  constexpr int kBfloat16 = 9;
  switch (type) {
    case DataType::fp8:
      return kUint8;
    case DataType::fp32:
      return kFloat32;
    case DataType::bf16:
      break;
  }
  return kBfloat16;
}

struct Communicator {
  std::vector<int> ranks;
  std::uint64_t id = 0;
  std::uint64_t calls = 0;  ///< NCCL's opCount
};

/// Writes the log of one rank.
class RankLog {
 public:
  RankLog(const Played& played, int rank, PackedFile& file)
      : played_(played), rank_(played, rank), file_(file) {
    const int gpu = played.placement.gpu(rank);
    const Host& host =
        played.cluster.hosts()[static_cast<std::size_t>(played.cluster.host_of(gpu))];
    const int local = gpu - host.first_gpu;
    prefix_ = fmt::format("{}:{}:{} [{}] NCCL INFO", host.name, kFirstProcess + local,
                          kFirstProcess + local, local);
    device_ = local;
  }

  void write() {
    for_each_call(played_, rank_, [this](const Call& call) {
      if (call.cost.algorithm != Algorithm::user_buffers) log(call);
    });
    summary();
  }

 private:
  static constexpr int kFirstProcess = 1000;

  void line(const std::string& text) { file_.write(fmt::format("{} {}\n", prefix_, text)); }

  /// Set up, with the line that NCCL writes then, at its first call.
  Communicator& communicator(const Call& call) {
    std::vector<int> ranks =
        call.amax ? played_.grid.amax_group(rank_.rank()) : rank_.communicator(call.op.group);
    const std::pair key(group_name(call.op.group), call.amax);
    const auto [entry, fresh] = communicators_.try_emplace(key);
    Communicator& found = entry->second;
    if (!fresh) return found;
    found.ranks = std::move(ranks);
    Fingerprint identity;
    for (const int member : found.ranks) identity.add(static_cast<std::uint64_t>(member));
    identity.add(key.first);
    identity.add(call.amax ? 1 : 0);
    found.id = identity.value();
    line(fmt::format(
        "ncclCommInitRank comm {:#x} rank {} nranks {} cudaDev {} nvmlDev {} busId 0 "
        "commId {:#x} - Init COMPLETE",
        found.id, place_of(rank_.rank(), found), found.ranks.size(), device_, device_, found.id));
    return found;
  }

  static std::ptrdiff_t place_of(int rank, const Communicator& communicator) {
    const auto& ranks = communicator.ranks;
    return std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
  }

  void log(const Call& call) {
    Communicator& on = communicator(call);
    const std::int64_t elements = call.cost.bytes.value() / bytes_of(call.moved);
    if (call.cost.collective == Collective::send_receive) {
      log_messages(call, on, elements);
      return;
    }
    // Counts are what a rank gives to an all-gather and takes from a reduce-scatter.
    const bool part = call.cost.collective == Collective::all_gather ||
                      call.cost.collective == Collective::reduce_scatter;
    const auto members = static_cast<std::int64_t>(on.ranks.size());
    log_call(nccl_function(call.cost.collective), call, on, part ? elements / members : elements,
             0);
    ++on.calls;
  }

  /// A step of the CP ring sends to the next rank and receives from the one before.
  void log_messages(const Call& call, const Communicator& on, std::int64_t elements) {
    const auto members = static_cast<std::ptrdiff_t>(on.ranks.size());
    const std::ptrdiff_t own = place_of(rank_.rank(), on);
    const auto peer = [&](std::ptrdiff_t step) { return (own + step + members) % members; };
    switch (call.op.group) {
      case GroupSlot::to_next:
        return log_call("Send", call, on, elements, peer(1));
      case GroupSlot::to_previous:
        return log_call("Send", call, on, elements, peer(-1));
      case GroupSlot::from_next:
        return log_call("Recv", call, on, elements, peer(1));
      case GroupSlot::from_previous:
        return log_call("Recv", call, on, elements, peer(-1));
      default:
        log_call("Send", call, on, elements, peer(1));
        log_call("Recv", call, on, elements, peer(-1));
    }
  }

  void log_call(std::string_view function, const Call& call, const Communicator& on,
                std::int64_t count, std::ptrdiff_t root) {
    constexpr int kMax = 2;  // ncclRedOp_t; 0 is the sum
    line(
        fmt::format("{}: opCount {:x} sendbuff (nil) recvbuff (nil) count {} datatype {} op {} "
                    "root {} comm {:#x} [nranks={}] stream {:#x}",
                    function, on.calls, count, nccl_type(call.moved), call.amax ? kMax : 0, root,
                    on.id, on.ranks.size(), static_cast<int>(call.op.stream) + 1));
  }

  void summary() {
    file_.write(
        fmt::format("# rank {}: calls and bytes of one step, by group and kind\n", rank_.rank()));
    file_.write(fmt::format("# {:<6} {:<14} {:>10} {:>18}\n", "group", "kind", "calls", "bytes"));
    for (const NcclCalls& row : nccl_calls(played_, rank_.rank())) {
      file_.write(fmt::format("# {:<6} {:<14} {:>10} {:>18}{}\n", row.group,
                              nccl_function(row.collective), row.calls, row.bytes,
                              row.user_buffers ? "  user buffers, not seen by NCCL" : ""));
    }
  }

  const Played& played_;
  PlayedRank rank_;
  PackedFile& file_;
  std::string prefix_;
  int device_ = 0;
  std::map<std::pair<std::string_view, bool>, Communicator> communicators_;
};

}  // namespace

void write_nccl_trace(const Played& played, const std::string& path,
                      const std::optional<std::vector<NumberRange>>& ranks) {
  std::set<int> chosen;
  if (ranks) {
    chosen = numbers_of(*ranks, played.grid.ranks(), "--trace-ranks");
  } else {
    chosen.insert(played.plan.ranks[busiest_rank(played.plan, played.timeline)].rank);
  }
  PackedFile file(path);
  for (const int rank : chosen) RankLog(played, rank, file).write();
  file.commit();
}

std::vector<NcclCalls> nccl_calls(const Played& played, int rank) {
  std::map<std::tuple<std::string_view, Collective, bool>, NcclCalls> rows;
  for_each_call(played, PlayedRank(played, rank), [&](const Call& call) {
    const bool own = call.cost.algorithm == Algorithm::user_buffers;
    const std::string_view group = group_name(call.op.group);
    NcclCalls& row = rows[{group, call.cost.collective, own}];
    row.group = group;
    row.collective = call.cost.collective;
    row.user_buffers = own;
    ++row.calls;
    row.bytes += call.cost.bytes.value();
  });
  std::vector<NcclCalls> result;
  result.reserve(rows.size());
  for (auto& [key, row] : rows) result.push_back(std::move(row));
  return result;
}

}  // namespace simtrain
