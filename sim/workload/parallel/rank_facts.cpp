#include "sim/workload/parallel/rank_facts.h"

#include <algorithm>

#include "sim/topology/gpu_links.h"

namespace simtrain {

RankFacts::RankFacts(const Cluster& cluster, const Placement& placement, const RankGrid& grid)
    : cluster_(cluster),
      placement_(placement),
      grid_(grid),
      devices_(as_index(cluster.gpus()), -1) {}

const std::vector<int>& RankFacts::groups(GroupKind kind) {
  std::vector<int>& groups = groups_[index(kind)];
  if (!groups.empty() || (grid_.ranks_of(kind) == 1 && kind != GroupKind::replica)) return groups;
  groups.reserve(as_index(grid_.ranks()));
  for (int rank = 0; rank < grid_.ranks(); ++rank) groups.push_back(grid_.first_of(kind, rank));
  layouts_[index(kind)].resize(as_index(grid_.ranks()), -1);
  return groups;
}

std::vector<std::vector<int>> RankFacts::meetings(Level level, int items) {
  std::vector<std::vector<int>> meetings;
  for (const GroupRow& row : group_rows()) {
    if (!row.meets.on(level) || groups(row.kind).empty()) continue;
    const std::vector<int>& all = groups(row.kind);
    meetings.emplace_back(all.begin(), all.begin() + items);
  }
  return meetings;
}

std::vector<int> RankFacts::layouts(Level level, int rank) {
  std::vector<int> numbers;
  for (const GroupRow& row : group_rows()) {
    if (row.calls.on(level) && !groups(row.kind).empty()) numbers.push_back(layout(row.kind, rank));
  }
  return numbers;
}

int RankFacts::number_of(const GroupLayout& layout) {
  const auto found = std::find(known_layouts_.begin(), known_layouts_.end(), layout);
  const auto number = static_cast<int>(found - known_layouts_.begin());
  if (found == known_layouts_.end()) known_layouts_.push_back(layout);
  return number;
}

int RankFacts::layout(GroupKind kind, int rank) {
  const int first = groups(kind)[as_index(rank)];
  int& number = layouts_[index(kind)][as_index(first)];
  if (number < 0) number = number_of(layout_of(cluster_, placement_.gpus(grid_.group(kind, rank))));
  return number;
}

int RankFacts::device(int gpu) {
  int& number = devices_[as_index(gpu)];
  if (number >= 0) return number;
  const std::vector<double>& capacities = cluster_.capacities();
  const GpuLinks links = cluster_.owners().of_gpu(gpu);
  std::vector<double> own{cluster_.slowdown(gpu)};
  for (const int link : links.nvlink) own.push_back(capacities[as_index(link)]);
  for (const int link : links.nic) own.push_back(capacities[as_index(link)]);
  number = device_numbers_.of(own);
  return number;
}

}  // namespace simtrain
