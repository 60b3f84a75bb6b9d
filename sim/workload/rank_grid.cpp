#include "sim/workload/rank_grid.h"

#include <numeric>

namespace simtrain {

RankGrid::RankGrid(const Recipe& recipe, int gpus)
    : tp_(recipe.tp()),
      cp_(recipe.cp()),
      dp_(gpus / (recipe.tp() * recipe.cp() * recipe.pp())),
      pp_(recipe.pp()),
      micro_batches_(recipe.training.global_batch_size / (recipe.training.micro_batch_size * dp_)),
      amax_ranks_(!recipe.fp8()                            ? 1
                  : recipe.software.tp_only_amax_red.value ? tp_ * cp_
                                                           : tp_ * cp_ * dp_) {}

int RankGrid::rank(const RankCoordinates& at) const {
  return at.tp + tp_ * (at.cp + cp_ * (at.dp + dp_ * at.pp));
}

RankCoordinates RankGrid::coordinates(int rank) const {
  return {rank % tp_, rank / tp_ % cp_, rank / (tp_ * cp_) % dp_, rank / (tp_ * cp_ * dp_)};
}

std::vector<int> RankGrid::tensor_group(int rank) const {
  std::vector<int> group;
  RankCoordinates at = coordinates(rank);
  for (at.tp = 0; at.tp < tp_; ++at.tp) group.push_back(this->rank(at));
  return group;
}

std::vector<int> RankGrid::context_group(int rank) const {
  std::vector<int> group;
  RankCoordinates at = coordinates(rank);
  for (at.cp = 0; at.cp < cp_; ++at.cp) group.push_back(this->rank(at));
  return group;
}

std::vector<int> RankGrid::tensor_context_group(int rank) const {
  std::vector<int> group;
  RankCoordinates at = coordinates(rank);
  for (at.cp = 0; at.cp < cp_; ++at.cp) {
    for (at.tp = 0; at.tp < tp_; ++at.tp) group.push_back(this->rank(at));
  }
  return group;
}

std::vector<int> RankGrid::data_context_group(int rank) const {
  std::vector<int> group;
  RankCoordinates at = coordinates(rank);
  for (at.dp = 0; at.dp < dp_; ++at.dp) {
    for (at.cp = 0; at.cp < cp_; ++at.cp) group.push_back(this->rank(at));
  }
  return group;
}

std::vector<int> RankGrid::amax_group(int rank) const {
  std::vector<int> group(static_cast<std::size_t>(amax_ranks_));
  std::iota(group.begin(), group.end(), rank / amax_ranks_ * amax_ranks_);
  return group;
}

std::vector<int> RankGrid::model_group(int rank) const {
  std::vector<int> group;
  RankCoordinates at = coordinates(rank);
  for (at.pp = 0; at.pp < pp_; ++at.pp) {
    for (at.tp = 0; at.tp < tp_; ++at.tp) group.push_back(this->rank(at));
  }
  return group;
}

int RankGrid::stage_neighbour(int rank, int step) const {
  RankCoordinates at = coordinates(rank);
  at.pp = (at.pp + step % pp_ + pp_) % pp_;
  return this->rank(at);
}

int RankGrid::context_neighbour(int rank, int step) const {
  RankCoordinates at = coordinates(rank);
  at.cp = (at.cp + step % cp_ + cp_) % cp_;
  return this->rank(at);
}

}  // namespace simtrain
