#include "sim/run/analysis/link_use.h"

#include <algorithm>

#include "sim/workload/plan/stage_passes.h"

namespace simtrain {
namespace {

/// Of one run of a rank's program.
LinkTraffic traffic_of(const Plan& plan, std::size_t rank) {
  LinkTraffic traffic;
  const Program& program = plan.programs[plan.ranks[rank].program];
  for (const Op& op : program.ops) {
    if (op.compute) continue;
    const TransferCost& transfer = program.transfers[op.cost];
    const auto wire = static_cast<double>(transfer.wire.value());
    traffic.nvlink_bytes += wire * transfer.load.nvlink;
    traffic.nic_bytes += wire * transfer.load.nic;
  }
  return traffic;
}

void add(LinkTraffic& sum, const LinkTraffic& part, double times) {
  sum.nvlink_bytes += part.nvlink_bytes * times;
  sum.nic_bytes += part.nic_bytes * times;
}

/// Of the pieces that a rank of a pass class and stage runs in a step.
LinkTraffic inside_passes(const SimulatedStep& simulated, int pass, int stage) {
  LinkTraffic traffic;
  const SimulatedPieces& pieces = simulated.passes[static_cast<std::size_t>(pass)];
  const auto counts =
      piece_counts(simulated.scenario.recipe, stage, simulated.grid.micro_batches());
  for (const Piece& piece : pieces_of(simulated.scenario.recipe)) {
    const auto times = static_cast<double>(counts[piece]);
    if (times > 0) add(traffic, traffic_of(pieces[piece].plan, 0), times);
  }
  return traffic;
}

}  // namespace

LinkUse link_use(const SimulatedStep& simulated) {
  const std::vector<int> behind = ranks_behind(simulated);
  LinkUse use;
  for (std::size_t i = 0; i < simulated.plan.ranks.size(); ++i) {
    const SimulatedRank& rank = simulated.plan.ranks[i];
    const int pass = simulated.classes.pass[static_cast<std::size_t>(rank.rank)];
    LinkTraffic traffic = traffic_of(simulated.plan, i);
    add(traffic, inside_passes(simulated, pass, rank.stage), 1);
    add(use.mean, traffic, static_cast<double>(behind[i]) / simulated.grid.ranks());
    use.busiest.nvlink_bytes = std::max(use.busiest.nvlink_bytes, traffic.nvlink_bytes);
    use.busiest.nic_bytes = std::max(use.busiest.nic_bytes, traffic.nic_bytes);
  }
  return use;
}

}  // namespace simtrain
