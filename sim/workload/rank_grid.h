#pragma once

#include <algorithm>
#include <vector>

#include "sim/workload/recipe.h"

namespace simtrain {

/// Where a rank stands in each parallel dimension.
struct RankCoordinates {
  int tp = 0;
  int cp = 0;
  int dp = 0;
  int pp = 0;
};

/// Ranks in Megatron's order tp-cp-ep-dp-pp: neighbours in TP are neighbours in rank. (Expert
/// parallelism is one for the dense models.)
class RankGrid {
 public:
  /// `gpus` must be a multiple of tp * cp * pp (the scenario checks it).
  RankGrid(const Recipe& recipe, int gpus);

  [[nodiscard]] int ranks() const { return tp_ * cp_ * dp_ * pp_; }
  [[nodiscard]] int tp() const { return tp_; }
  [[nodiscard]] int cp() const { return cp_; }
  [[nodiscard]] int dp() const { return dp_; }
  [[nodiscard]] int pp() const { return pp_; }
  /// Micro-batches of one step that each replica works through.
  [[nodiscard]] int micro_batches() const { return micro_batches_; }

  [[nodiscard]] int rank(const RankCoordinates& at) const;
  [[nodiscard]] RankCoordinates coordinates(int rank) const;

  // The groups of a rank, in rank order. DP x CP shares the optimizer state.
  [[nodiscard]] std::vector<int> tensor_group(int rank) const;
  [[nodiscard]] std::vector<int> context_group(int rank) const;
  [[nodiscard]] std::vector<int> tensor_context_group(int rank) const;
  [[nodiscard]] std::vector<int> data_context_group(int rank) const;
  /// Ranks that share the amax of their FP8 tensors: TP x CP x DP, or TP x CP with
  /// `tp_only_amax_red`; without FP8 the rank alone.
  [[nodiscard]] std::vector<int> amax_group(int rank) const;
  [[nodiscard]] int amax_ranks() const { return amax_ranks_; }
  /// Ranks that wait for each other in each pass: TP x CP, or more that share their amax.
  [[nodiscard]] int pass_ranks() const { return std::max(tp_ * cp_, amax_ranks_); }
  /// All the ranks of one model replica's grid that hold different parameters (TP x PP).
  [[nodiscard]] std::vector<int> model_group(int rank) const;
  /// The same rank `step` stages on, around the ring of stages.
  [[nodiscard]] int stage_neighbour(int rank, int step) const;
  /// The rank `step` places on in its context-parallel ring.
  [[nodiscard]] int context_neighbour(int rank, int step) const;

 private:
  int tp_;
  int cp_;
  int dp_;
  int pp_;
  int micro_batches_;
  int amax_ranks_;
};

}  // namespace simtrain
