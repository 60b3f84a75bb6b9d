#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sim/workload/parallel/groups.h"
#include "sim/workload/parallel/mesh.h"

namespace simtrain {

/// A rank, a GPU or a count of them as an index.
constexpr std::size_t as_index(int number) { return static_cast<std::size_t>(number); }

/// Where a rank lies on each axis.
struct RankCoordinates {
  int tp = 0;
  int cp = 0;
  int dp = 0;
  int pp = 0;
};

/// What a grid of ranks is made from.
struct GridSizes {
  int tp = 1;
  int cp = 1;
  int dp = 1;
  int pp = 1;
  int micro_batches = 1;  ///< of one step that each replica works through
  AxisSet amax{};         ///< of the ranks that share the amax of their FP8 tensors
  int ep = 1;            ///< ranks that share the experts of a layer; ETP x EP divides TP x CP x DP
  int etp = 1;           ///< ranks that share each expert
  bool experts = false;  ///< whether the model has some
  int replicas = 1;      ///< groups of DP x CP ranks that each hold all state that ranks shard
  int copies = 1;  ///< of the model in a pipeline: with two, stages p and PP - 1 - p are alike
};

/// The ranks of a job in Megatron's order tp-cp-dp-pp: neighbours in TP are neighbours in rank.
/// Over the ranks of a stage experts lie in a mesh of their own, etp-ep-edp (parallel folding,
/// arXiv 2504.14960). Ranks of both meshes' groups that meet in passes are one block of the third
/// mesh: TP x CP ranks, or with experts the least common multiple of that and ETP x EP. Where only
/// neighbours in DP x CP shard their state (HSDP), a fourth mesh has them. Where a pipeline holds
/// the model twice, groups along `Axis::copy` are of two stages, mirrored.
class RankGrid {
 public:
  explicit RankGrid(const GridSizes& sizes);

  [[nodiscard]] int ranks() const { return stages().ranks(); }
  [[nodiscard]] int tp() const { return stages().size(Axis::tp); }
  [[nodiscard]] int cp() const { return stages().size(Axis::cp); }
  [[nodiscard]] int dp() const { return stages().size(Axis::dp); }
  [[nodiscard]] int pp() const { return stages().size(Axis::pp); }
  [[nodiscard]] int micro_batches() const { return micro_batches_; }

  [[nodiscard]] int rank(const RankCoordinates& at) const;
  [[nodiscard]] RankCoordinates coordinates(int rank) const;

  /// The axes of a group: those of its row, for `amax` as the recipe shares amax values.
  [[nodiscard]] AxisSet axes_of(GroupKind kind) const {
    return kind == GroupKind::amax ? amax_ : row_of(kind).axes;
  }
  [[nodiscard]] int ep() const { return mesh(MeshKind::experts).size(Axis::ep); }
  [[nodiscard]] int etp() const { return mesh(MeshKind::experts).size(Axis::etp); }
  /// The group of a rank, in rank order; of a side of a pair all stages of its pipeline.
  [[nodiscard]] std::vector<int> group(GroupKind kind, int rank) const;
  [[nodiscard]] int first_of(GroupKind kind, int rank) const {
    return mesh_of(kind).first(mirrored(kind) ? in_first_half(rank) : rank, axes_of(kind));
  }
  [[nodiscard]] int ranks_of(GroupKind kind) const {
    return mesh_of(kind).count(axes_of(kind)) * (mirrored(kind) ? copies_ : 1);
  }

  /// Equal where two grids of as many ranks have the same groups of this kind.
  [[nodiscard]] std::string picture_of(GroupKind kind) const;

  /// The ranks among which the state of parameters is sharded whose gradients are summed over
  /// `gradients`: all of them, or with replicas one group of them.
  [[nodiscard]] GroupKind sharded_over(GroupKind gradients) const {
    const bool some = gradients == GroupKind::data && ranks_of(GroupKind::shard_copies) > 1;
    return some ? GroupKind::shard : gradients;
  }
  /// Ranks that wait for each other in each pass: those of a block, or more that share their amax.
  [[nodiscard]] int pass_ranks() const {
    return std::max(ranks_of(GroupKind::replica), ranks_of(GroupKind::amax));
  }
  /// The same rank `step` stages on, around the ring of stages.
  [[nodiscard]] int stage_neighbour(int rank, int step) const {
    return stages().moved(rank, Axis::pp, step);
  }
  /// The rank `step` places on in its context-parallel ring.
  [[nodiscard]] int context_neighbour(int rank, int step) const {
    return stages().moved(rank, Axis::cp, step);
  }

 private:
  /// Whether a group is of two stages.
  [[nodiscard]] bool mirrored(GroupKind kind) const {
    return copies_ > 1 && axes_of(kind).has(Axis::copy);
  }
  /// The rank at its place of the stage with the same layers.
  [[nodiscard]] int twin(int rank) const {
    return stages().at(rank, Axis::pp, pp() - 1 - stages().coordinate(rank, Axis::pp));
  }
  [[nodiscard]] int in_first_half(int rank) const { return std::min(rank, twin(rank)); }
  [[nodiscard]] const Mesh& mesh(MeshKind kind) const {
    return meshes_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const Mesh& mesh_of(GroupKind kind) const { return mesh(row_of(kind).mesh); }
  [[nodiscard]] const Mesh& stages() const { return mesh(MeshKind::ranks); }

  std::array<Mesh, kMeshKinds> meshes_;  ///< by MeshKind
  int micro_batches_;
  int copies_;
  AxisSet amax_;
};

}  // namespace simtrain
