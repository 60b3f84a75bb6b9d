#include "sim/workload/rank_classes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "sim/collectives/group_layout.h"
#include "sim/topology/gpu_links.h"

namespace simtrain {
namespace {

/// Numbers from 0 on for values in the order in which they are first seen.
template <class Value>
class Numbering {
 public:
  int of(const Value& value) {
    return known_.try_emplace(value, static_cast<int>(known_.size())).first->second;
  }
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  std::map<Value, int> known_;
};

/// The same for layouts, of which there are few and which have no order.
class LayoutNumbering {
 public:
  int of(const GroupLayout& layout) {
    const auto found = std::find(known_.begin(), known_.end(), layout);
    if (found != known_.end()) return static_cast<int>(found - known_.begin());
    known_.push_back(layout);
    return static_cast<int>(known_.size()) - 1;
  }

 private:
  std::vector<GroupLayout> known_;
};

/// By item, the first of its refined class.
std::vector<int> first_alike(const std::vector<int>& colours) {
  std::map<int, int> first;
  std::vector<int> result(colours.size());
  for (std::size_t i = 0; i < colours.size(); ++i)
    result[i] = first.try_emplace(colours[i], static_cast<int>(i)).first->second;
  return result;
}

/// By GPU: whether it moves data over a NIC that others use as well, because its own is down, or
/// because PXN takes messages of neighbouring stages over it. Such ranks compete for more than
/// links of their own, so each stands for itself alone.
std::vector<bool> entangled_gpus(const Cluster& cluster, const Placement& placement,
                                 const RankGrid& grid) {
  const auto at = [](int number) { return static_cast<std::size_t>(number); };
  std::vector<int> users(at(cluster.nics()), 0);
  for (const int gpu : placement.gpu_of_rank) ++users[at(cluster.nic_of(gpu))];
  std::vector<bool> entangled(at(cluster.gpus()), false);
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    const int gpu = placement.gpu(rank);
    if (users[at(cluster.nic_of(gpu))] > 1) entangled[at(gpu)] = true;
    for (const int step : {1, -1}) {
      const int other = placement.gpu(grid.stage_neighbour(rank, step));
      if (cluster.distance(gpu, other) < Distance::unit) continue;
      const int exit = cluster.exit_gpu(gpu, other);
      if (exit == gpu) continue;
      for (const int touched : {gpu, exit, other}) entangled[at(touched)] = true;
    }
  }
  return entangled;
}

class Classifier {
 public:
  Classifier(const Cluster& cluster, const Placement& placement, const RankGrid& grid)
      : cluster_(cluster),
        placement_(placement),
        grid_(grid),
        owners_(cluster),
        capacities_(cluster.capacities()),
        entangled_(entangled_gpus(cluster, placement, grid)) {}

  RankClasses classes() {
    RankClasses classes;
    std::vector<int> own;
    own.reserve(static_cast<std::size_t>(grid_.ranks()));
    for (int rank = 0; rank < grid_.ranks(); ++rank) own.push_back(alone_in_pass(rank));
    classes.piece_stand_in = classify_passes(std::move(own), classes.pass);
    Numbering<std::vector<int>> programs;
    classes.program.reserve(classes.pass.size());
    for (int rank = 0; rank < grid_.ranks(); ++rank) {
      const int pass = classes.pass[static_cast<std::size_t>(rank)];
      classes.program.push_back(programs.of(alone_in_step(rank, pass)));
    }
    classes.step_stand_in = classify_pipelines(classes.program);
    return classes;
  }

 private:
  /// The ranks of one kind of group, known by its first.
  enum class Kind { tensor, context, replica, data, amax };

  [[nodiscard]] int first_of(Kind kind, int rank) const {
    if (kind == Kind::amax) return rank / grid_.amax_ranks() * grid_.amax_ranks();
    RankCoordinates at = grid_.coordinates(rank);
    if (kind == Kind::tensor || kind == Kind::replica) at.tp = 0;
    if (kind != Kind::tensor) at.cp = 0;
    if (kind == Kind::data) at.dp = 0;
    return grid_.rank(at);
  }
  [[nodiscard]] std::vector<int> group_of(Kind kind, int rank) const {
    if (kind == Kind::tensor) return grid_.tensor_group(rank);
    if (kind == Kind::context) return grid_.context_group(rank);
    if (kind == Kind::amax) return grid_.amax_group(rank);
    return kind == Kind::data ? grid_.data_context_group(rank) : grid_.tensor_context_group(rank);
  }
  [[nodiscard]] std::vector<int> grouping(Kind kind, int items) const {
    std::vector<int> groups;
    groups.reserve(static_cast<std::size_t>(items));
    for (int rank = 0; rank < items; ++rank) groups.push_back(first_of(kind, rank));
    return groups;
  }

  /// Number of the layout of a rank's group, worked out once per group.
  int layout(Kind kind, int rank) {
    const auto [entry, fresh] = layouts_.try_emplace({kind, first_of(kind, rank)});
    if (fresh) {
      entry->second =
          layout_numbers_.of(layout_of(cluster_, placement_.gpus(group_of(kind, rank))));
    }
    return entry->second;
  }
  /// What the GPU itself brings: its slowdown and the capacities of its links.
  int device(int rank) {
    const int gpu = placement_.gpu(rank);
    const GpuLinks& links = owners_.of_gpu(gpu);
    std::vector<double> own;
    own.reserve(2 + links.nvlink.size() + links.nic.size());
    own.push_back(cluster_.slowdown(gpu));
    own.push_back(entangled_[static_cast<std::size_t>(gpu)] ? rank + 1 : 0);
    for (const int link : links.nvlink) own.push_back(capacities_[static_cast<std::size_t>(link)]);
    for (const int link : links.nic) own.push_back(capacities_[static_cast<std::size_t>(link)]);
    return devices_.of(own);
  }
  [[nodiscard]] int hop(int rank, int step) const {
    return static_cast<int>(
        cluster_.distance(placement_.gpu(rank), placement_.gpu(grid_.stage_neighbour(rank, step))));
  }

  /// What a rank's pieces depend on, its groups' other members aside.
  int alone_in_pass(int rank) {
    return passes_.of({layout(Kind::tensor, rank), layout(Kind::context, rank),
                       layout(Kind::amax, rank), device(rank)});
  }
  /// The same for its step.
  std::vector<int> alone_in_step(int rank, int pass) {
    return {grid_.coordinates(rank).pp,
            pass,
            layout(Kind::tensor, rank),
            layout(Kind::data, rank),
            hop(rank, 1),
            hop(rank, -1),
            device(rank)};
  }

  /// Sets the pass classes; returns stand-ins inside TP x CP groups.
  [[nodiscard]] std::vector<int> classify_passes(std::vector<int> own,
                                                 std::vector<int>& pass) const {
    const int ranks = grid_.ranks();
    const std::vector<int> replicas = grouping(Kind::replica, ranks);
    const std::vector<int> colours = refined(
        std::move(own), {grouping(Kind::tensor, ranks), grouping(Kind::context, ranks), replicas});
    std::vector<std::set<int>> members(colours.size());
    for (std::size_t rank = 0; rank < colours.size(); ++rank)
      members[static_cast<std::size_t>(replicas[rank])].insert(colours[rank]);
    Numbering<std::set<int>> numbers;
    Numbering<std::pair<int, int>> places;
    std::vector<int> inside;
    pass.reserve(colours.size());
    inside.reserve(colours.size());
    for (std::size_t rank = 0; rank < colours.size(); ++rank) {
      pass.push_back(numbers.of(members[static_cast<std::size_t>(replicas[rank])]));
      inside.push_back(places.of({replicas[rank], colours[rank]}));
    }
    return first_alike(inside);
  }

  /// Pipelines are numbered as the ranks of the first stage are.
  [[nodiscard]] std::vector<int> classify_pipelines(const std::vector<int>& programs) const {
    const std::size_t pipelines = programs.size() / static_cast<std::size_t>(grid_.pp());
    Numbering<std::vector<int>> numbers;
    std::vector<int> colours;
    colours.reserve(pipelines);
    for (std::size_t pipeline = 0; pipeline < pipelines; ++pipeline) {
      std::vector<int> stages;
      stages.reserve(static_cast<std::size_t>(grid_.pp()));
      for (std::size_t rank = pipeline; rank < programs.size(); rank += pipelines)
        stages.push_back(programs[rank]);
      colours.push_back(numbers.of(stages));
    }
    const int items = static_cast<int>(pipelines);
    const std::vector<int> first = first_alike(
        refined(std::move(colours), {grouping(Kind::tensor, items), grouping(Kind::context, items),
                                     grouping(Kind::replica, items), grouping(Kind::data, items)}));
    std::vector<int> stand_in(programs.size());
    for (std::size_t pipeline = 0; pipeline < pipelines; ++pipeline) {
      for (std::size_t rank = pipeline; rank < programs.size(); rank += pipelines)
        stand_in[rank] = static_cast<int>(rank - pipeline) + first[pipeline];
    }
    return stand_in;
  }

  const Cluster& cluster_;
  const Placement& placement_;
  const RankGrid& grid_;
  LinkOwners owners_;
  std::vector<double> capacities_;
  std::vector<bool> entangled_;  ///< by GPU
  LayoutNumbering layout_numbers_;
  std::map<std::pair<Kind, int>, int> layouts_;
  Numbering<std::vector<double>> devices_;
  Numbering<std::vector<int>> passes_;
};

}  // namespace

std::vector<int> refined(std::vector<int> colours, const std::vector<std::vector<int>>& groupings) {
  for (std::size_t count = 0;;) {
    std::vector<std::vector<int>> keys;
    keys.reserve(colours.size());
    for (const int colour : colours) keys.push_back({colour});
    for (const std::vector<int>& groups : groupings) {
      std::vector<std::set<int>> members(colours.size());
      for (std::size_t i = 0; i < colours.size(); ++i)
        members[static_cast<std::size_t>(groups[i])].insert(colours[i]);
      Numbering<std::set<int>> sets;
      for (std::size_t i = 0; i < colours.size(); ++i)
        keys[i].push_back(sets.of(members[static_cast<std::size_t>(groups[i])]));
    }
    Numbering<std::vector<int>> numbers;
    for (std::size_t i = 0; i < colours.size(); ++i) colours[i] = numbers.of(keys[i]);
    if (numbers.size() == count) return colours;
    count = numbers.size();
  }
}

RankClasses rank_classes(const Cluster& cluster, const Placement& placement, const RankGrid& grid,
                         bool unfold) {
  RankClasses classes = Classifier(cluster, placement, grid).classes();
  if (unfold || !cluster.inner_links_never_bind()) {
    std::iota(classes.piece_stand_in.begin(), classes.piece_stand_in.end(), 0);
    classes.step_stand_in = classes.piece_stand_in;
  }
  return classes;
}

}  // namespace simtrain
