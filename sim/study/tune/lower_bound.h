#pragma once

#include <memory>
#include <optional>
#include <tuple>

#include "sim/run/scenario/scenario.h"
#include "sim/topology/cluster.h"
#include "sim/workload/plan/step_context.h"

namespace simtrain {

/// What the parts of a model add up to on a rank, what the pieces of a pass take, and the clock at
/// which they run. All plans with the same key share it: it depends on TP, CP, micro-batch and
/// recompute, not on how the passes are dealt.
struct PassCosts {
  std::shared_ptr<const ModelTotals> totals;
  double clock = 1;
  PieceCosts pieces{};
  /// Joules that a GPU draws in each piece, at least, above what it draws idle meanwhile. None: not
  /// known, or something draws less than an idle GPU.
  std::optional<ByPiece<double>> above_idle{};
};

/// What PassCosts depend on, EP and ETP with experts: the blocks of ranks that meet in passes tile
/// the job alike whatever PP and DP are. Where links between switches can bind, PP and DP too,
/// since the first group of a class then speaks for itself alone; 0 elsewhere, but for PP where a
/// table of embeddings is kept twice. `cut`: the schedule runs halves of backwards.
struct PassKey {
  int tp = 0;
  int cp = 0;
  int mbs = 0;
  int recompute = 0;
  int pp = 0;
  int dp = 0;
  int ep = 1;
  int etp = 1;
  int dispatch = 0;  ///< what brings tokens to their experts
  bool cut = false;
  friend bool operator<(const PassKey& a, const PassKey& b) {
    return std::tie(a.tp, a.cp, a.mbs, a.recompute, a.pp, a.dp, a.ep, a.etp, a.dispatch, a.cut) <
           std::tie(b.tp, b.cp, b.mbs, b.recompute, b.pp, b.dp, b.ep, b.etp, b.dispatch, b.cut);
  }
};

/// Lower bounds on the step time that `simulate` finds for recipes on one cluster, thousands of
/// times cheaper than it. Never above it:
///
/// - Passes. A simulated pass takes at least the sum of its pieces (a compute op is only ever
/// slowed
///   down), and the pieces are those that simulate() simulates, at its clock. Where groups lie
///   unlike, each piece counts as in the group where it is shortest, without waits for stragglers.
/// - Pipeline. The passes of a stage run one after the other. The first forward of stage s comes
///   after those of the stages before it, and the last backward (of chunk 0) comes before those of
///   the stages before it, each with a message between. So with f_j and b_j for these passes of
///   stage j, W_s for all passes of stage s and p for messages,
///       end of stage r >= sum_{j<s} (f_j + p_j) + W_s + sum_{r<=j<s} (b_j + p_j)   for r <= s.
///   Weight gradients that a stage runs after its last backward of chunk 0 are left out of W_s
///   where r < s. Without overlap of messages a stage also waits for one between its passes,
///   counted where the pass before has something to send or the pass behind something to receive.
/// - Step end. After its passes a stage waits for stragglers, then reduces what gradients it has
/// not
///   yet; after the slowest stage all of them reduce the norm, and each runs its optimizer.
/// - Data stream. Transfers of one stage run one after the other, each at most at the rate that it
///   would have alone: gathers before the passes that need them, reductions behind.
class StepTimeBound {
 public:
  /// For the recipes of plans of `scenario` on its cluster.
  explicit StepTimeBound(const Scenario& scenario);

  [[nodiscard]] PassKey key(const Recipe& recipe) const;
  [[nodiscard]] PassCosts pass_costs(const Recipe& recipe) const;
  /// The same with pieces that take what the ops of one rank take by themselves: nobody is waited
  /// for, and no link carries anything else. Not simulated, so that a search can afford it for
  /// every key. A bound from these is a looser one.
  [[nodiscard]] PassCosts alone_costs(const Recipe& recipe) const;

  /// Seconds. Without `with_ends` the data-parallel transfers and what frames the passes are left
  /// out, which makes it ten times cheaper.
  [[nodiscard]] double seconds(const Recipe& recipe, const PassCosts& costs, bool with_ends) const;

  /// A lower bound on the joules of a token of a step that takes `step_s` or longer; 0 where
  /// nothing is known. A GPU draws what it draws idle at any time, and more in passes: of a pass
  /// the pieces of its stretches, at most the power limit, in the group where they draw least. What
  /// slows a pass down makes it draw as much for longer. Nodes, network and site draw what
  /// step_energy has them draw beside such GPUs for such a time.
  [[nodiscard]] double joules_per_token(const Recipe& recipe, const PassCosts& costs,
                                        double step_s) const;

 private:
  Cluster cluster_;
  Placement placement_;
  int gpus_;
  GroupLayout world_;
  double pue_;

  [[nodiscard]] double clock(const Recipe& recipe, const ModelTotals& totals,
                             const RankGrid& grid) const;
};

}  // namespace simtrain
