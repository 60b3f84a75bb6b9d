#include "sim/workload/parallel/rank_classes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/workload/parallel/messages.h"
#include "sim/workload/parallel/rank_facts.h"

namespace simtrain {
namespace {

/// By rank, how far the message of each kind goes that it sends and the one that it receives.
template <class Length>
std::vector<std::vector<int>> lengths_of(const std::vector<MessageWay>& ways, int ranks,
                                         const Length& length) {
  std::vector<std::vector<int>> lengths(as_index(ranks));
  const auto note = [&](int rank, int place, int value) {
    std::vector<int>& of_rank = lengths[as_index(rank)];
    of_rank.resize(std::max(of_rank.size(), as_index(place) + 1), -1);
    of_rank[as_index(place)] = value;
  };
  for (const MessageWay& way : ways) {
    const auto value = static_cast<int>(length(way));
    note(way.message.from, 2 * way.message.kind, value);
    note(way.message.to, 2 * way.message.kind + 1, value);
  }
  return lengths;
}

/// What ranks depend on in one state of the cluster, the other members of their groups aside.
class StateOfRanks {
 public:
  StateOfRanks(const Cluster& cluster, const Placement& placement, const RankGrid& grid)
      : cluster_(cluster),
        placement_(placement),
        grid_(grid),
        facts_(cluster, placement, grid),
        piece_ways_(ways_of(piece_messages(grid), cluster, placement)) {}

  RankFacts& facts() { return facts_; }

  /// By rank, the number of what its pieces depend on, its groups' other members aside. A rank of a
  /// replica whose ranks share links is like those at its place in replicas of the same picture.
  std::vector<int> alone_in_pass() {
    const std::vector<bool> shares = replicas_that_share();
    const auto lengths =
        lengths_of(piece_ways_, grid_.ranks(), [](const MessageWay& way) { return way.leaves; });
    Numbering<std::vector<int>> numbers;
    std::vector<int> result;
    result.reserve(as_index(grid_.ranks()));
    int drawn = 0;
    std::vector<int> own;
    for (int rank = 0; rank < grid_.ranks(); ++rank) {
      const int replica = facts_.replica_of(rank);
      if (shares[as_index(replica)]) {
        if (rank == replica) drawn = picture(replica);
        own = {drawn, rank - replica};
      } else {
        own = facts_.layouts(Level::piece, rank);
        own.push_back(facts_.device(placement_.gpu(rank)));
        own.insert(own.end(), lengths[as_index(rank)].begin(), lengths[as_index(rank)].end());
      }
      result.push_back(numbers.of(own));
    }
    return result;
  }

  /// By rank, the number of its program and of what it shares with none: entangled ranks are each
  /// alone. What a rank moves inside its passes meets what it moves beside them, so that ranks of
  /// one number are alike in passes too.
  std::vector<int> alone_in_step(const std::vector<int>& pass, const std::vector<int>& in_pass) {
    const std::vector<MessageWay> ways = ways_of(step_messages(grid_), cluster_, placement_);
    const std::vector<bool> entangled = entangled_gpus(ways);
    const auto lengths =
        lengths_of(ways, grid_.ranks(), [](const MessageWay& way) { return way.distance; });
    Numbering<std::vector<int>> numbers;
    std::vector<int> result;
    result.reserve(as_index(grid_.ranks()));
    std::vector<int> own;
    for (int rank = 0; rank < grid_.ranks(); ++rank) {
      const int gpu = placement_.gpu(rank);
      own = facts_.layouts(Level::step, rank);
      own.insert(own.end(),
                 {grid_.coordinates(rank).pp, pass[as_index(rank)], in_pass[as_index(rank)],
                  facts_.device(gpu), entangled[as_index(gpu)] ? rank : -1});
      own.insert(own.end(), lengths[as_index(rank)].begin(), lengths[as_index(rank)].end());
      result.push_back(numbers.of(own));
    }
    return result;
  }

 private:
  /// By first rank of a replica: whether its ranks use each other's links in a pass, because a
  /// message leaves by the NIC of another GPU or two of them share a NIC.
  std::vector<bool> replicas_that_share() {
    std::vector<bool> shares(as_index(grid_.ranks()), false);
    for (const MessageWay& way : piece_ways_) {
      if (!way.own) shares[as_index(facts_.replica_of(way.message.from))] = true;
    }
    std::vector<int> latest(as_index(cluster_.nics()), -1);  // replica of each NIC's latest user
    for (int rank = 0; rank < grid_.ranks(); ++rank) {
      const int replica = facts_.replica_of(rank);
      const int nic = cluster_.nic_of(placement_.gpu(rank));
      if (std::exchange(latest[as_index(nic)], replica) == replica)
        shares[as_index(replica)] = true;
    }
    return shares;
  }

  /// Number of all that the pieces of a replica depend on: its ranks in their order, and which
  /// GPU's links each message takes. GPUs and NICs go by the order in which they are met, so that
  /// replicas of one number differ in nothing but names.
  int picture(int replica) {
    Numbering<int> gpus;
    Numbering<int> nics;
    std::vector<int> drawn;
    const auto draw_gpu = [&](int gpu) {
      for (const int value : {gpus.of(gpu), nics.of(cluster_.nic_of(gpu)), facts_.device(gpu)})
        drawn.push_back(value);
    };
    const int end = replica + grid_.ranks_of(GroupKind::replica);
    for (int rank = replica; rank < end; ++rank) {
      draw_gpu(placement_.gpu(rank));
      for (const int layout : facts_.layouts(Level::piece, rank)) drawn.push_back(layout);
    }
    const auto sent_before = [](const MessageWay& way, int rank) {
      return way.message.from < rank;
    };
    auto way = std::lower_bound(piece_ways_.begin(), piece_ways_.end(), replica, sent_before);
    for (; way != piece_ways_.end() && way->message.from < end; ++way) {
      draw_gpu(way->exit_gpu);
      for (const int value :
           {way->message.from - replica, way->message.to - replica, static_cast<int>(way->leaves)})
        drawn.push_back(value);
    }
    return pictures_.of(drawn);
  }

  /// Whether the GPU by whose NIC a message leaves is of the sender's own replica, whose ranks are
  /// all unlike each other in passes then.
  bool stays_in_replica(const MessageWay& way) {
    const auto& gpus = placement_.gpu_of_rank;
    const auto first = gpus.begin() + facts_.replica_of(way.message.from);
    const auto last = first + grid_.ranks_of(GroupKind::replica);
    return std::find(first, last, way.exit_gpu) != last;
  }

  /// By GPU: whether others use its NIC in a step, because their own is down, or because a message
  /// leaves by it, or whether its own messages do so or end there.
  std::vector<bool> entangled_gpus(const std::vector<MessageWay>& step_ways) {
    std::vector<int> users(as_index(cluster_.nics()), 0);
    for (const int gpu : placement_.gpu_of_rank) ++users[as_index(cluster_.nic_of(gpu))];
    std::vector<bool> entangled(as_index(cluster_.gpus()), false);
    for (const int gpu : placement_.gpu_of_rank)
      entangled[as_index(gpu)] = users[as_index(cluster_.nic_of(gpu))] > 1;
    for (const std::vector<MessageWay>* ways : {&std::as_const(piece_ways_), &step_ways}) {
      for (const MessageWay& way : *ways) {
        if (way.own || (ways == &piece_ways_ && stays_in_replica(way))) continue;
        for (const int gpu :
             {placement_.gpu(way.message.from), way.exit_gpu, placement_.gpu(way.message.to)})
          entangled[as_index(gpu)] = true;
      }
    }
    return entangled;
  }

  const Cluster& cluster_;
  const Placement& placement_;
  const RankGrid& grid_;
  RankFacts facts_;
  std::vector<MessageWay> piece_ways_;  ///< by sender
  Numbering<std::vector<int>> pictures_;
};

/// By rank, the number of what it is in each state.
std::vector<int> together(const std::vector<std::vector<int>>& by_state) {
  Numbering<std::vector<int>> numbers;
  std::vector<int> result;
  result.reserve(by_state.front().size());
  std::vector<int> own(by_state.size());
  for (std::size_t rank = 0; rank < by_state.front().size(); ++rank) {
    for (std::size_t state = 0; state < by_state.size(); ++state)
      own[state] = by_state[state][rank];
    result.push_back(numbers.of(own));
  }
  return result;
}

class Classifier {
 public:
  Classifier(const std::vector<const Cluster*>& states, const Placement& placement,
             const RankGrid& grid)
      : grid_(grid) {
    states_.reserve(states.size());
    for (const Cluster* state : states) states_.emplace_back(*state, placement, grid);
  }

  /// By rank, what is alike in passes, members of one TP x CP group too.
  std::vector<int> in_pass() {
    return refined(in_all_states([](StateOfRanks& state) { return state.alone_in_pass(); }),
                   facts().meetings(Level::piece, grid_.ranks()));
  }
  /// RankClasses::pass.
  std::vector<int> passes(const std::vector<int>& in_pass) {
    return set_numbers(in_pass, facts().groups(GroupKind::replica));
  }

  RankClasses classes() {
    RankClasses classes;
    const std::vector<int> in_pass = this->in_pass();
    classes.pass = passes(in_pass);
    classes.piece_like = first_in_replica(in_pass);
    classes.program = in_all_states(
        [&](StateOfRanks& state) { return state.alone_in_step(classes.pass, in_pass); });
    classes.step_like = classify_pipelines(classes.program);
    return classes;
  }

 private:
  /// Which groups there are does not depend on the state.
  RankFacts& facts() { return states_.front().facts(); }

  template <class Alone>
  std::vector<int> in_all_states(const Alone& alone) {
    std::vector<std::vector<int>> by_state;
    by_state.reserve(states_.size());
    for (StateOfRanks& state : states_) by_state.push_back(alone(state));
    return together(by_state);
  }

  /// By rank, the first of its TP x CP group of the same colour.
  std::vector<int> first_in_replica(const std::vector<int>& colours) {
    const std::vector<int>& replicas = facts().groups(GroupKind::replica);
    std::vector<int> like;
    like.reserve(colours.size());
    for (std::size_t rank = 0; rank < colours.size(); ++rank) {
      int first = replicas[rank];  // ranks of a replica follow one another
      while (colours[as_index(first)] != colours[rank]) ++first;
      like.push_back(first);
    }
    return like;
  }

  /// Pipelines are numbered as the ranks of the first stage are.
  std::vector<int> classify_pipelines(const std::vector<int>& programs) {
    const std::size_t pipelines = programs.size() / as_index(grid_.pp());
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
    const std::vector<int> first =
        first_alike(refined(std::move(colours), facts().meetings(Level::step, items)));
    std::vector<int> like(programs.size());
    for (std::size_t pipeline = 0; pipeline < pipelines; ++pipeline) {
      for (std::size_t rank = pipeline; rank < programs.size(); rank += pipelines)
        like[rank] = static_cast<int>(rank - pipeline) + first[pipeline];
    }
    return like;
  }

  const RankGrid& grid_;
  std::vector<StateOfRanks> states_;
};

/// All that the classes of a cluster's ranks depend on; equal texts are equal questions.
std::string question(const Placement& placement, const RankGrid& grid, bool unfold) {
  const std::vector<int>& gpus = placement.gpu_of_rank;
  std::string text =
      fmt::format("{} {} {} {} {} ", grid.tp(), grid.cp(), grid.dp(), grid.pp(), unfold);
  for (const GroupRow& row : group_rows()) text += fmt::format("{} ", grid.ranks_of(row.kind));
  return text.append(reinterpret_cast<const char*>(gpus.data()), gpus.size() * sizeof(int));
}

/// The same of what is alike in passes: the groups that count there and the rings of CP, whatever
/// other ranks there are.
std::string question_of_passes(const Placement& placement, const RankGrid& grid) {
  const std::vector<int>& gpus = placement.gpu_of_rank;
  std::string text = fmt::format("{} {} ", grid.tp(), grid.cp());
  for (const GroupRow& row : group_rows()) {
    const bool counts = row.calls.on(Level::piece) || row.meets.on(Level::piece);
    if (counts || row.kind == GroupKind::replica) text += grid.picture_of(row.kind) + "|";
  }
  return text.append(reinterpret_cast<const char*>(gpus.data()), gpus.size() * sizeof(int));
}

/// Links to the memory of a host, in the order of a way.
std::vector<int> links_of(const HostWay& way) {
  std::vector<int> links{way.memory};
  links.insert(links.end(), way.to_host.begin(), way.to_host.end());
  links.insert(links.end(), way.from_host.begin(), way.from_host.end());
  return links;
}

/// Whether simulated ranks could not load links to the memory of hosts for those that they
/// represent: each class has to use a link as often as the others on it, and wherever it is it has
/// to be beside the same classes, whose representatives are beside its own.
bool unlike_on_hosts(const Cluster& cluster, const Placement& placement,
                     const std::vector<int>& like) {
  if (!cluster.spec().host_links) return false;
  const auto links = [&](int rank) { return links_of(cluster.host_way(placement.gpu(rank))); };
  std::map<int, std::map<int, int>> users;  // by link, ranks by the first alike
  const int ranks = static_cast<int>(like.size());
  for (int rank = 0; rank < ranks; ++rank) {
    for (const int link : links(rank)) ++users[link][like[as_index(rank)]];
  }
  for (int rank = 0; rank < ranks; ++rank) {
    const int first = like[as_index(rank)];
    const std::vector<int> own = links(rank);
    const std::vector<int> of_first = links(first);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i >= of_first.size() || users[own[i]] != users[of_first[i]]) return true;
      if (rank != first) continue;
      for (const auto& [other, count] : users[own[i]]) {
        const std::vector<int> beside = links(other);
        if (count != users[own[i]][first] ||
            std::find(beside.begin(), beside.end(), own[i]) == beside.end())
          return true;
      }
    }
  }
  return false;
}

}  // namespace

std::vector<RankClasses> rank_classes(const std::vector<const Cluster*>& states,
                                      const Placement& placement, const RankGrid& grid,
                                      bool unfold) {
  RankClasses classes = Classifier(states, placement, grid).classes();
  std::vector<int> everyone(as_index(grid.ranks()));
  std::iota(everyone.begin(), everyone.end(), 0);
  const bool bind = std::any_of(states.begin(), states.end(), [](const Cluster* state) {
    return !state->inner_links_never_bind();
  });
  if (bind) classes.piece_like = everyone;
  classes.by_plan = bind || unlike_on_hosts(*states.front(), placement, classes.step_like);
  if (classes.by_plan) classes.step_like = everyone;
  classes.piece_representative = unfold ? everyone : classes.piece_like;
  classes.step_representative = unfold ? everyone : classes.step_like;
  std::vector<RankClasses> by_state(states.size() - 1, classes);
  by_state.push_back(std::move(classes));
  for (std::size_t i = 0; i < states.size(); ++i)
    by_state[i].world = layout_of(*states[i], placement.gpu_of_rank);
  return by_state;
}

const RankClasses& rank_classes(const Cluster& cluster, const Placement& placement,
                                const RankGrid& grid, bool unfold) {
  return *cluster.derived().get<RankClasses>(question(placement, grid, unfold), [&] {
    return std::move(rank_classes(std::vector{&cluster}, placement, grid, unfold).front());
  });
}

const std::vector<int>& first_of_passes(const Cluster& cluster, const Placement& placement,
                                        const RankGrid& grid) {
  struct FirstOfPasses {
    std::vector<int> ranks;
  };
  const auto find = [&] {
    Classifier classifier({&cluster}, placement, grid);
    const std::vector<int> passes = classifier.passes(classifier.in_pass());
    FirstOfPasses first;
    for (std::size_t rank = 0; rank < passes.size(); ++rank) {
      if (passes[rank] == static_cast<int>(first.ranks.size()))
        first.ranks.push_back(static_cast<int>(rank));
    }
    return first;
  };
  return cluster.derived().get<FirstOfPasses>(question_of_passes(placement, grid), find)->ranks;
}

}  // namespace simtrain
