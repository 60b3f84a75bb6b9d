#include "sim/workload/rank_facts.h"

#include <algorithm>

#include "sim/topology/gpu_links.h"

namespace simtrain {
namespace {

std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace

RankFacts::RankFacts(const Cluster& cluster, const Placement& placement, const RankGrid& grid)
    : cluster_(cluster), placement_(placement), grid_(grid), devices_(at(cluster.gpus()), -1) {
  for (const GroupKind kind : kGroupKinds) {
    groups_[index(kind)] = grouping(kind, grid.ranks());
    layouts_[index(kind)].resize(at(grid.ranks()), -1);
  }
}

int RankFacts::first_of(GroupKind kind, int rank) const {
  if (kind == GroupKind::amax) return rank / grid_.amax_ranks() * grid_.amax_ranks();
  RankCoordinates at = grid_.coordinates(rank);
  if (kind == GroupKind::tensor || kind == GroupKind::replica) at.tp = 0;
  if (kind != GroupKind::tensor) at.cp = 0;
  if (kind == GroupKind::data) at.dp = 0;
  return grid_.rank(at);
}

std::vector<int> RankFacts::group_of(GroupKind kind, int rank) const {
  switch (kind) {
    case GroupKind::tensor:
      return grid_.tensor_group(rank);
    case GroupKind::context:
      return grid_.context_group(rank);
    case GroupKind::data:
      return grid_.data_context_group(rank);
    case GroupKind::amax:
      return grid_.amax_group(rank);
    case GroupKind::replica:
      break;
  }
  return grid_.tensor_context_group(rank);
}

std::vector<int> RankFacts::grouping(GroupKind kind, int items) const {
  std::vector<int> groups;
  groups.reserve(at(items));
  for (int rank = 0; rank < items; ++rank) groups.push_back(first_of(kind, rank));
  return groups;
}

int RankFacts::number_of(const GroupLayout& layout) {
  const auto found = std::find(known_layouts_.begin(), known_layouts_.end(), layout);
  const auto number = static_cast<int>(found - known_layouts_.begin());
  if (found == known_layouts_.end()) known_layouts_.push_back(layout);
  return number;
}

int RankFacts::layout(GroupKind kind, int rank) {
  int& number = layouts_[index(kind)][at(groups(kind)[at(rank)])];
  if (number < 0) number = number_of(layout_of(cluster_, placement_.gpus(group_of(kind, rank))));
  return number;
}

int RankFacts::device(int gpu) {
  int& number = devices_[at(gpu)];
  if (number >= 0) return number;
  const std::vector<double>& capacities = cluster_.capacities();
  const GpuLinks& links = cluster_.owners().of_gpu(gpu);
  std::vector<double> own{cluster_.slowdown(gpu)};
  for (const int link : links.nvlink) own.push_back(capacities[at(link)]);
  for (const int link : links.nic) own.push_back(capacities[at(link)]);
  number = device_numbers_.of(own);
  return number;
}

}  // namespace simtrain
