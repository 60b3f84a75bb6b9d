#include "sim/workload/rank_classes.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/topology/gpu_links.h"

namespace simtrain {
namespace {

std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// Numbers from 0 on for values in the order in which they are first seen. Quick for a value that
/// follows its equal, as those of neighbouring ranks do.
template <class Value>
class Numbering {
 public:
  int of(const Value& value) {
    if (known_.empty() || last_->first != value)
      last_ = known_.try_emplace(value, static_cast<int>(known_.size())).first;
    return last_->second;
  }
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  std::map<Value, int> known_;
  typename std::map<Value, int>::iterator last_;
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
  std::vector<int> first(colours.size(), -1);
  std::vector<int> result(colours.size());
  for (std::size_t i = 0; i < colours.size(); ++i) {
    int& known = first[at(colours[i])];
    if (known < 0) known = static_cast<int>(i);
    result[i] = known;
  }
  return result;
}

/// By item, the number of the set of colours that its group holds.
std::vector<int> set_numbers(const std::vector<int>& colours, const std::vector<int>& groups) {
  std::vector<int> begin(colours.size() + 1, 0);  // of each group among `members`
  for (const int group : groups) ++begin[at(group) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<int> members(colours.size());
  std::vector<int> end(begin);
  for (std::size_t i = 0; i < colours.size(); ++i) members[at(end[at(groups[i])]++)] = colours[i];

  Numbering<std::vector<int>> sets;
  std::vector<int> number(colours.size(), -1);  // by group
  std::vector<int> result;
  result.reserve(colours.size());
  for (const int group : groups) {
    int& known = number[at(group)];
    if (known < 0) {
      std::vector<int> set(members.begin() + begin[at(group)], members.begin() + end[at(group)]);
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
      known = sets.of(set);
    }
    result.push_back(known);
  }
  return result;
}

/// Distances from each rank to the same rank of the next stage or the one before.
std::vector<Distance> hops(const Cluster& cluster, const Placement& placement, const RankGrid& grid,
                           int step) {
  std::vector<Distance> result;
  result.reserve(at(grid.ranks()));
  for (int rank = 0; rank < grid.ranks(); ++rank)
    result.push_back(
        cluster.distance(placement.gpu(rank), placement.gpu(grid.stage_neighbour(rank, step))));
  return result;
}

/// By GPU: whether it moves data over a NIC that others use as well, because its own is down, or
/// because PXN takes messages of neighbouring stages over it. Such ranks compete for more than
/// links of their own, so each stands for itself alone.
std::vector<bool> entangled_gpus(const Cluster& cluster, const Placement& placement,
                                 const RankGrid& grid, const std::vector<Distance>& to_next,
                                 const std::vector<Distance>& to_previous) {
  std::vector<int> users(at(cluster.nics()), 0);
  for (const int gpu : placement.gpu_of_rank) ++users[at(cluster.nic_of(gpu))];
  std::vector<bool> entangled(at(cluster.gpus()), false);
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    const int gpu = placement.gpu(rank);
    if (users[at(cluster.nic_of(gpu))] > 1) entangled[at(gpu)] = true;
    for (const int step : {1, -1}) {
      if ((step > 0 ? to_next : to_previous)[at(rank)] < Distance::unit) continue;
      const int other = placement.gpu(grid.stage_neighbour(rank, step));
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
        to_next_(hops(cluster, placement, grid, 1)),
        to_previous_(hops(cluster, placement, grid, -1)) {
    for (const Kind kind : kKinds) {
      groups_[index(kind)] = grouping(kind, grid.ranks());
      layouts_[index(kind)].resize(at(grid.ranks()), -1);
    }
    number_devices();
  }

  RankClasses classes() {
    RankClasses classes;
    classes.world = layout_of(cluster_, placement_.gpu_of_rank);
    std::vector<int> own;
    own.reserve(at(grid_.ranks()));
    for (int rank = 0; rank < grid_.ranks(); ++rank) own.push_back(alone_in_pass(rank));
    classes.piece_stand_in = classify_passes(std::move(own), classes.pass);
    Numbering<std::array<int, 7>> programs;
    classes.program.reserve(classes.pass.size());
    for (int rank = 0; rank < grid_.ranks(); ++rank)
      classes.program.push_back(programs.of(alone_in_step(rank, classes.pass[at(rank)])));
    classes.step_stand_in = classify_pipelines(classes.program);
    return classes;
  }

 private:
  /// The ranks of one kind of group, known by its first.
  enum class Kind { tensor, context, replica, data, amax };
  static constexpr std::array kKinds{Kind::tensor, Kind::context, Kind::replica, Kind::data,
                                     Kind::amax};
  static std::size_t index(Kind kind) { return static_cast<std::size_t>(kind); }

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
    groups.reserve(at(items));
    for (int rank = 0; rank < items; ++rank) groups.push_back(first_of(kind, rank));
    return groups;
  }

  /// Number of the layout of a rank's group, worked out once per group.
  int layout(Kind kind, int rank) {
    int& number = layouts_[index(kind)][at(groups_[index(kind)][at(rank)])];
    if (number < 0) {
      number = layout_numbers_.of(layout_of(cluster_, placement_.gpus(group_of(kind, rank))));
    }
    return number;
  }
  /// By what the GPU itself brings: its slowdown and the capacities of its links.
  void number_devices() {
    const std::vector<bool> entangled =
        entangled_gpus(cluster_, placement_, grid_, to_next_, to_previous_);
    const std::vector<double>& capacities = cluster_.capacities();
    Numbering<std::vector<double>> numbers;
    std::vector<double> own;
    devices_.reserve(at(grid_.ranks()));
    for (int rank = 0; rank < grid_.ranks(); ++rank) {
      const int gpu = placement_.gpu(rank);
      const GpuLinks& links = cluster_.owners().of_gpu(gpu);
      own = {cluster_.slowdown(gpu), entangled[at(gpu)] ? rank + 1.0 : 0.0};
      for (const int link : links.nvlink) own.push_back(capacities[at(link)]);
      for (const int link : links.nic) own.push_back(capacities[at(link)]);
      devices_.push_back(numbers.of(own));
    }
  }

  /// What a rank's pieces depend on, its groups' other members aside.
  int alone_in_pass(int rank) {
    return passes_.of({layout(Kind::tensor, rank), layout(Kind::context, rank),
                       layout(Kind::amax, rank), devices_[at(rank)]});
  }
  /// The same for its step.
  std::array<int, 7> alone_in_step(int rank, int pass) {
    return {grid_.coordinates(rank).pp,
            pass,
            layout(Kind::tensor, rank),
            layout(Kind::data, rank),
            static_cast<int>(to_next_[at(rank)]),
            static_cast<int>(to_previous_[at(rank)]),
            devices_[at(rank)]};
  }

  /// Sets the pass classes; returns stand-ins inside TP x CP groups.
  [[nodiscard]] std::vector<int> classify_passes(std::vector<int> own,
                                                 std::vector<int>& pass) const {
    const std::vector<int>& replicas = groups_[index(Kind::replica)];
    const std::vector<int> colours = refined(
        std::move(own), {groups_[index(Kind::tensor)], groups_[index(Kind::context)], replicas});
    pass = set_numbers(colours, replicas);
    std::vector<int> stand_in;
    stand_in.reserve(colours.size());
    for (std::size_t rank = 0; rank < colours.size(); ++rank) {
      int first = replicas[rank];  // ranks of a replica follow one another
      while (colours[at(first)] != colours[rank]) ++first;
      stand_in.push_back(first);
    }
    return stand_in;
  }

  /// Pipelines are numbered as the ranks of the first stage are.
  [[nodiscard]] std::vector<int> classify_pipelines(const std::vector<int>& programs) const {
    const std::size_t pipelines = programs.size() / at(grid_.pp());
    Numbering<std::vector<int>> numbers;
    std::vector<int> colours;
    colours.reserve(pipelines);
    std::vector<int> stages;
    for (std::size_t pipeline = 0; pipeline < pipelines; ++pipeline) {
      stages.clear();
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
  std::vector<Distance> to_next_;                        ///< by rank
  std::vector<Distance> to_previous_;                    ///< by rank
  std::array<std::vector<int>, kKinds.size()> groups_;   ///< by kind and rank
  std::array<std::vector<int>, kKinds.size()> layouts_;  ///< by kind and group; -1: not yet
  LayoutNumbering layout_numbers_;
  std::vector<int> devices_;  ///< by rank
  Numbering<std::array<int, 4>> passes_;
};

/// All that the classes of a cluster's ranks depend on; equal texts are equal questions.
std::string question(const Placement& placement, const RankGrid& grid, bool unfold) {
  const std::vector<int>& gpus = placement.gpu_of_rank;
  std::string text = fmt::format("{} {} {} {} {} {} ", grid.tp(), grid.cp(), grid.dp(), grid.pp(),
                                 grid.amax_ranks(), unfold);
  return text.append(reinterpret_cast<const char*>(gpus.data()), gpus.size() * sizeof(int));
}

}  // namespace

std::vector<int> refined(std::vector<int> colours, const std::vector<std::vector<int>>& groupings) {
  for (std::size_t count = 0;;) {
    if (std::all_of(colours.begin(), colours.end(), [&](int c) { return c == colours.front(); }))
      return std::vector<int>(colours.size(), 0);
    std::vector<int> finer = colours;
    for (const std::vector<int>& groups : groupings) {
      const std::vector<int> sets = set_numbers(colours, groups);
      Numbering<std::pair<int, int>> pairs;
      for (std::size_t i = 0; i < finer.size(); ++i) finer[i] = pairs.of({finer[i], sets[i]});
    }
    Numbering<int> numbers;
    for (std::size_t i = 0; i < colours.size(); ++i) colours[i] = numbers.of(finer[i]);
    if (numbers.size() == count) return colours;
    count = numbers.size();
  }
}

const RankClasses& rank_classes(const Cluster& cluster, const Placement& placement,
                                const RankGrid& grid, bool unfold) {
  return *cluster.derived().get<RankClasses>(question(placement, grid, unfold), [&] {
    RankClasses classes = Classifier(cluster, placement, grid).classes();
    if (unfold || !cluster.inner_links_never_bind()) {
      std::iota(classes.piece_stand_in.begin(), classes.piece_stand_in.end(), 0);
      classes.step_stand_in = classes.piece_stand_in;
    }
    return classes;
  });
}

}  // namespace simtrain
