#include "sim/run/analysis/nccl_calls.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/run/analysis/communication.h"

namespace simtrain {
namespace {

/// One transfer that a rank takes part in, wherever in its step.
struct Transfer {
  const TransferCost& cost;
  const Op& op;
  DataType moved;
};

DataType type_of_step(const Recipe& recipe, const Op& op) {
  switch (op.label) {
    case Label::parameter_gather:
      return gathered_weight_format(recipe).type;
    case Label::gradient_reduce:
      return recipe.optimizer.grad_reduce_dtype;
    case Label::gradient_norm:
      return kFp32.type;
    default:
      return recipe.precision().activation.type;
  }
}

/// Calls `visit` with every transfer of a rank that moves something, in host order.
void for_each_transfer(const SimulatedStep& simulated, const StepRank& rank,
                       const std::function<void(const Transfer&)>& visit) {
  const Program& program = rank.program();
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (!op.compute) {
      const TransferCost& cost = program.transfers[op.cost];
      if (cost.wire.value() > 0 && !of_host(cost.algorithm))
        visit({cost, op, type_of_step(simulated.scenario.recipe, op)});
      continue;
    }
    for (const PieceRun& run : rank.pieces(i)) {
      const SimulatedPiece& piece = *run.simulated;
      const Program& inner = piece.plan.programs[piece.plan.ranks[rank.place_in(piece)].program];
      for (std::size_t j = 0; j < inner.ops.size(); ++j) {
        if (inner.ops[j].compute) continue;
        const TransferCost& cost = inner.transfers[inner.ops[j].cost];
        if (cost.wire.value() > 0) visit({cost, inner.ops[j], inner.notes[j].moved});
      }
    }
  }
}

/// Sends and receives aside.
NcclFunction function_of(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
      return NcclFunction::all_reduce;
    case Collective::all_gather:
      return NcclFunction::all_gather;
    case Collective::reduce_scatter:
      return NcclFunction::reduce_scatter;
    case Collective::broadcast:
      return NcclFunction::broadcast;
    case Collective::all_to_all:
    case Collective::send_receive:
    case Collective::none:
      break;
  }
  return NcclFunction::all_to_all;
}

/// Turns the transfers of one rank into calls.
class Caller {
 public:
  Caller(const StepRank& rank, const std::function<void(const NcclCall&)>& visit)
      : rank_(rank), visit_(visit) {}

  void take(const Transfer& transfer) {
    const NcclGroup& group = group_of(transfer);
    const std::int64_t elements = transfer.cost.bytes.value() / bytes_of(transfer.moved);
    NcclCall call{group};
    call.type = nccl_type(transfer.moved);
    call.maximum = transfer.op.group == GroupKind::amax;
    call.stream = transfer.op.stream;
    if (transfer.cost.collective == Collective::send_receive) {
      call.count = elements;
      messages(transfer.op, call);
      return;
    }
    const bool part = transfer.cost.collective == Collective::all_gather ||
                      transfer.cost.collective == Collective::reduce_scatter;
    call.function = function_of(transfer.cost.collective);
    call.count = part ? elements / static_cast<std::int64_t>(group.ranks.size()) : elements;
    visit_(call);
  }

 private:
  /// Both sides of all pairs share the communicator of the pipeline.
  const NcclGroup& group_of(const Transfer& transfer) {
    const GroupKind kind = transfer.op.group;
    const auto [entry, fresh] = groups_.try_emplace(row_of(kind).name);
    NcclGroup& group = entry->second;
    if (!fresh) return group;
    group.number = groups_.size() - 1;
    group.name = row_of(kind).name;
    group.ranks = rank_.group(kind);
    group.place =
        std::find(group.ranks.begin(), group.ranks.end(), rank_.rank()) - group.ranks.begin();
    return group;
  }

  /// A step of the CP ring sends to the next rank and receives from the one before.
  void messages(const Op& op, NcclCall call) {
    const GroupRow& row = row_of(op.group);
    if (row.side == PairSide::sends) return message(NcclFunction::send, row.step, call);
    if (row.side == PairSide::receives) return message(NcclFunction::recv, row.step, call);
    message(NcclFunction::send, 1, call);
    message(NcclFunction::recv, -1, call);
  }

  void message(NcclFunction function, std::ptrdiff_t step, NcclCall& call) const {
    const auto members = static_cast<std::ptrdiff_t>(call.group.ranks.size());
    call.function = function;
    call.peer = (call.group.place + step + members) % members;
    visit_(call);
  }

  const StepRank& rank_;
  const std::function<void(const NcclCall&)>& visit_;
  std::map<std::string_view, NcclGroup> groups_;
};

}  // namespace

void for_each_nccl_call(const SimulatedStep& simulated, int rank,
                        const std::function<void(const NcclCall&)>& visit) {
  const StepRank one(simulated, rank);
  Caller caller(one, visit);
  for_each_transfer(simulated, one, [&](const Transfer& transfer) {
    if (chosen_by_library(transfer.cost.algorithm)) caller.take(transfer);
  });
}

std::vector<NcclCalls> nccl_calls(const SimulatedStep& simulated, int rank) {
  std::map<std::tuple<std::string_view, Collective, bool>, NcclCalls> rows;
  for_each_transfer(simulated, StepRank(simulated, rank), [&](const Transfer& transfer) {
    const bool own = !chosen_by_library(transfer.cost.algorithm);
    const std::string_view group = row_of(transfer.op.group).name;
    NcclCalls& row = rows[{group, transfer.cost.collective, own}];
    row.group = group;
    row.collective = transfer.cost.collective;
    row.own_exchange = own;
    ++row.calls;
    row.bytes += transfer.cost.bytes.value();
  });
  std::vector<NcclCalls> result;
  result.reserve(rows.size());
  for (auto& [key, row] : rows) result.push_back(std::move(row));
  return result;
}

}  // namespace simtrain
