#include "sim/workload/parallel/rank_grid.h"

#include <numeric>

#include <fmt/format.h>

namespace simtrain {
namespace {

/// Without experts no rank shares any: every group of theirs is one rank.
Mesh expert_mesh(const GridSizes& sizes) {
  const int stage = sizes.tp * sizes.cp * sizes.dp;
  if (!sizes.experts) return Mesh({{Axis::dp, stage}, {Axis::pp, sizes.pp}});
  return Mesh({{Axis::etp, sizes.etp},
               {Axis::ep, sizes.ep},
               {Axis::edp, stage / (sizes.etp * sizes.ep)},
               {Axis::pp, sizes.pp}});
}

Mesh rank_mesh(const GridSizes& sizes) {
  return Mesh(
      {{Axis::tp, sizes.tp}, {Axis::cp, sizes.cp}, {Axis::dp, sizes.dp}, {Axis::pp, sizes.pp}});
}

Mesh pass_mesh(const GridSizes& sizes) {
  const int block = std::lcm(sizes.tp * sizes.cp, sizes.experts ? sizes.etp * sizes.ep : 1);
  return Mesh({{Axis::pass, block},
               {Axis::dp, sizes.tp * sizes.cp * sizes.dp / block},
               {Axis::pp, sizes.pp}});
}

/// Without replicas all DP x CP ranks shard what is sharded: these groups are one rank.
Mesh shard_mesh(const GridSizes& sizes) {
  const int ranks = sizes.cp * sizes.dp;
  if (sizes.replicas == 1)
    return Mesh({{Axis::tp, sizes.tp}, {Axis::dp, ranks}, {Axis::pp, sizes.pp}});
  return Mesh({{Axis::tp, sizes.tp},
               {Axis::shard, ranks / sizes.replicas},
               {Axis::replicate, sizes.replicas},
               {Axis::pp, sizes.pp}});
}

}  // namespace

RankGrid::RankGrid(const GridSizes& sizes)
    : meshes_{rank_mesh(sizes), expert_mesh(sizes), pass_mesh(sizes), shard_mesh(sizes)},
      micro_batches_(sizes.micro_batches),
      copies_(sizes.copies),
      amax_(sizes.amax) {}

std::vector<int> RankGrid::group(GroupKind kind, int rank) const {
  const Mesh& mesh = mesh_of(kind);
  if (!mirrored(kind)) return mesh.group(rank, axes_of(kind));
  const int first = in_first_half(rank);
  std::vector<int> ranks = mesh.group(first, axes_of(kind));
  const std::vector<int> others = mesh.group(twin(first), axes_of(kind));
  ranks.insert(ranks.end(), others.begin(), others.end());
  return ranks;
}

std::string RankGrid::picture_of(GroupKind kind) const {
  std::string text = mirrored(kind) ? fmt::format("twice {} ", pp()) : "";
  for (const Mesh::Span& span : mesh_of(kind).spans(axes_of(kind)))
    text += fmt::format("{}x{} ", span.size, span.stride);
  return text;
}

int RankGrid::rank(const RankCoordinates& at) const {
  return at.tp + tp() * (at.cp + cp() * (at.dp + dp() * at.pp));
}

RankCoordinates RankGrid::coordinates(int rank) const {
  return {stages().coordinate(rank, Axis::tp), stages().coordinate(rank, Axis::cp),
          stages().coordinate(rank, Axis::dp), stages().coordinate(rank, Axis::pp)};
}

}  // namespace simtrain
