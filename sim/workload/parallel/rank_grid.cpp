#include "sim/workload/parallel/rank_grid.h"

namespace simtrain {

RankGrid::RankGrid(const GridSizes& sizes)
    : mesh_(
          {{Axis::tp, sizes.tp}, {Axis::cp, sizes.cp}, {Axis::dp, sizes.dp}, {Axis::pp, sizes.pp}}),
      micro_batches_(sizes.micro_batches),
      amax_(sizes.amax) {}

int RankGrid::rank(const RankCoordinates& at) const {
  return at.tp + tp() * (at.cp + cp() * (at.dp + dp() * at.pp));
}

RankCoordinates RankGrid::coordinates(int rank) const {
  return {mesh_.coordinate(rank, Axis::tp), mesh_.coordinate(rank, Axis::cp),
          mesh_.coordinate(rank, Axis::dp), mesh_.coordinate(rank, Axis::pp)};
}

}  // namespace simtrain
