#include "sim/run/analysis/communication.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/workload/plan/stage_passes.h"

namespace simtrain {
namespace {

/// Rows by what they have in common, in a fixed order.
class Table {
 public:
  void add(GroupKind kind, const TransferCost& transfer, std::int64_t times, double seconds,
           double exposed) {
    const std::string group(row_of(kind).name);
    const auto key = std::tuple(group, transfer.collective, transfer.algorithm, transfer.protocol,
                                transfer.bytes.value());
    auto [entry, fresh] = rows_.try_emplace(key);
    CommunicationRow& row = entry->second;
    if (fresh)
      row = {
          group, transfer.collective, transfer.algorithm, transfer.protocol, transfer.bytes, 0, 0,
          0};
    row.count += times;
    row.total_s += seconds * static_cast<double>(times);
    row.exposed_s += exposed * static_cast<double>(times);
  }
  std::vector<CommunicationRow> take() {
    std::vector<CommunicationRow> result;
    for (auto& [key, row] : rows_) result.push_back(std::move(row));
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.total_s > b.total_s; });
    return result;
  }

 private:
  std::map<std::tuple<std::string, Collective, Algorithm, Protocol, std::int64_t>, CommunicationRow>
      rows_;
};

void add_transfers(Table& table, const Plan& plan, const Timeline& timeline,
                   const std::vector<PathStep>& path, std::uint32_t rank, std::int64_t times) {
  const Program& program = plan.programs[plan.ranks[rank].program];
  std::vector<bool> on_path(program.ops.size(), false);
  for (const PathStep& step : path) {
    const SimulatedRank& other = plan.ranks[step.rank];
    if (other.like == plan.ranks[rank].like && other.program == plan.ranks[rank].program)
      on_path[step.op] = true;
  }
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    const TransferCost* transfer = op.compute ? nullptr : &program.transfers[op.cost];
    if (transfer == nullptr || transfer->wire.value() == 0) continue;
    const double seconds = to_seconds(timeline.span(rank, i).end - timeline.span(rank, i).start);
    table.add(op.group, *transfer, times, seconds, on_path[i] ? seconds : 0);
  }
}

}  // namespace

std::string_view group_name(Share share) {
  if (share == row_of(GroupKind::self).share) return "";  // of groups without a share of their own
  const auto rows = group_rows();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const GroupRow& each) { return each.share == share; });
  return row == rows.end() ? "" : row->name;
}

std::vector<CommunicationRow> communication_table(const SimulatedStep& simulated,
                                                  const std::vector<PathStep>& path,
                                                  std::uint32_t busiest) {
  Table table;
  const Plan& plan = simulated.plan;
  add_transfers(table, plan, simulated.timeline, path, busiest, 1);
  const SimulatedPieces& pieces = simulated.pieces_of(plan.ranks[busiest].rank);
  const auto counts = piece_counts(simulated.scenario.recipe, plan.ranks[busiest].stage,
                                   simulated.grid.micro_batches());
  for (const Piece& which : pieces_of(simulated.scenario.recipe)) {
    const SimulatedPiece& piece = pieces[which];
    if (counts[which] > 0)
      add_transfers(table, piece.plan, piece.timeline, piece.path, 0, counts[which]);
  }
  return table.take();
}

}  // namespace simtrain
