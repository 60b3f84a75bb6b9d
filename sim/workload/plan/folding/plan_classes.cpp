#include "sim/workload/plan/folding/plan_classes.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <map>
#include <utility>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

namespace simtrain {
namespace {

using Signature = std::vector<std::uint64_t>;
using Colours = std::vector<std::uint32_t>;

/// Numbers for equal signatures, by first appearance.
class ColourNumbers {
 public:
  std::uint32_t of(const Signature& signature) {
    return known_.try_emplace(signature, static_cast<std::uint32_t>(known_.size())).first->second;
  }
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  boost::unordered_flat_map<Signature, std::uint32_t, boost::hash<Signature>> known_;
};

/// Lists of pairs, one behind another, by a number.
class Lists {
 public:
  using Pair = std::pair<std::uint32_t, std::uint64_t>;
  void add(std::uint32_t at, const Pair& pair) { pairs_.push_back({at, pair}); }
  void finish(std::size_t count) {
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    begins_.assign(count + 1, 0);
    for (const auto& [at, pair] : pairs_) ++begins_[at + 1];
    for (std::size_t i = 0; i < count; ++i) begins_[i + 1] += begins_[i];
  }
  template <class Visit>
  void for_each(std::uint32_t at, const Visit& visit) const {
    for (std::size_t i = begins_[at]; i < begins_[at + 1]; ++i)
      visit(pairs_[i].second.first, pairs_[i].second.second);
  }

 private:
  std::vector<std::pair<std::uint32_t, Pair>> pairs_;
  std::vector<std::size_t> begins_;
};

/// A colour and a number below 2^32 as one.
std::uint64_t packed(std::uint64_t number, std::uint32_t colour) { return number << 32U | colour; }

/// The kinds of groups whose calls a program takes part in.
std::vector<std::bitset<kGroupKinds>> kinds_of(const Plan& plan) {
  std::vector<std::bitset<kGroupKinds>> kinds(plan.programs.size());
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    const Program& program = plan.programs[i];
    for (const Op& op : program.ops) kinds[i].set(static_cast<std::size_t>(op.group));
    if (!program.inner.empty()) kinds[i].set(static_cast<std::size_t>(GroupKind::replica));
    for (const PassTraffic& traffic : program.inner) {
      for (std::size_t kind = 0; kind < traffic.size(); ++kind) {
        if (traffic[kind].rate() > 0) kinds[i].set(static_cast<std::size_t>(inner_kinds()[kind]));
      }
    }
    kinds[i].reset(static_cast<std::size_t>(GroupKind::self));
  }
  return kinds;
}

/// Colour refinement of ranks, groups and links together.
class PlanColours {
 public:
  PlanColours(const Plan& plan, const std::vector<std::uint32_t>& job_of_rank) : plan_(plan) {
    connect();
    colour(plan_.ranks.size(), ranks_, [&](std::uint32_t rank, Signature& out) {
      out = {job_of_rank[rank], plan_.ranks[rank].program};
    });
    colour(plan_.groups.size(), groups_,
           [&](std::uint32_t group, Signature& out) { describe(plan_.groups[group], out); });
    colour(plan_.link_capacities.size(), links_, [&](std::uint32_t link, Signature& out) {
      out = {std::bit_cast<std::uint64_t>(plan_.link_capacities[link]),
             plan_.between_switches[link]};
    });
    std::size_t before = 0;
    for (std::size_t count = 1; count != before;) {
      before = std::exchange(count, refine());
    }
  }

  PlanClasses classes() && { return {std::move(ranks_), std::move(groups_), std::move(links_)}; }

 private:
  void connect() {
    const auto kinds = kinds_of(plan_);
    for (std::uint32_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      for (std::size_t kind = 0; kind < kGroupKinds; ++kind) {
        if (!kinds[plan_.ranks[rank].program].test(kind)) continue;
        const std::uint32_t group = plan_.ranks[rank].groups[kind];
        groups_of_rank_.add(rank, {group, kind});
        ranks_of_group_.add(group, {rank, kind});
      }
    }
    for (std::uint32_t group = 0; group < plan_.groups.size(); ++group) {
      for (std::size_t set = 0; set <= plan_.groups[group].link_sets.size(); ++set) {
        for (const LinkShare& use : plan_.groups[group].links_at(set)) {
          const auto link = static_cast<std::uint32_t>(use.link);
          const auto how = packed_use(set, use.share);
          links_of_group_.add(group, {link, how});
          groups_of_link_.add(link, {group, how});
        }
      }
    }
    groups_of_rank_.finish(plan_.ranks.size());
    ranks_of_group_.finish(plan_.groups.size());
    links_of_group_.finish(plan_.groups.size());
    groups_of_link_.finish(plan_.link_capacities.size());
  }

  /// Which link set and how much of the flow, as a number.
  std::uint64_t packed_use(std::size_t set, double share) {
    return uses_.try_emplace({set, parts_of(share)}, uses_.size()).first->second;
  }

  static void describe(const Group& group, Signature& out) {
    out = {group.members.size()};
    for (const LinkSet& set : group.link_sets) {
      out.push_back(static_cast<std::uint64_t>(set.algorithm));
      out.push_back(std::bit_cast<std::uint64_t>(set.load.nvlink));
      out.push_back(std::bit_cast<std::uint64_t>(set.load.nic));
    }
  }

  template <class Describe>
  std::size_t colour(std::size_t count, Colours& colours, const Describe& signature) {
    ColourNumbers numbers;
    Signature own;
    Colours finer(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      own.clear();
      signature(i, own);
      finer[i] = numbers.of(own);
    }
    colours = std::move(finer);
    return numbers.size();
  }

  /// Returns how many colours there are.
  std::size_t refine() {
    const auto add = [](Signature& out, const Lists& lists, std::uint32_t at,
                        const Colours& colours) {
      const auto begin = static_cast<std::ptrdiff_t>(out.size());
      lists.for_each(at, [&](std::uint32_t other, std::uint64_t how) {
        out.push_back(packed(how, colours[other]));
      });
      std::sort(out.begin() + begin, out.end());
      out.push_back(~std::uint64_t{0});  // ends the list
    };
    std::size_t count = 0;
    count += colour(plan_.groups.size(), groups_, [&](std::uint32_t group, Signature& out) {
      out.push_back(groups_[group]);
      add(out, ranks_of_group_, group, ranks_);
      add(out, links_of_group_, group, links_);
    });
    count += colour(plan_.ranks.size(), ranks_, [&](std::uint32_t rank, Signature& out) {
      out.push_back(ranks_[rank]);
      add(out, groups_of_rank_, rank, groups_);
    });
    count += colour(plan_.link_capacities.size(), links_, [&](std::uint32_t link, Signature& out) {
      out.push_back(links_[link]);
      add(out, groups_of_link_, link, groups_);
    });
    return count;
  }

  const Plan& plan_;
  Colours ranks_;
  Colours groups_;
  Colours links_;
  Lists groups_of_rank_;
  Lists ranks_of_group_;
  Lists links_of_group_;
  Lists groups_of_link_;
  std::map<std::pair<std::size_t, std::int64_t>, std::uint64_t> uses_;
};

}  // namespace

PlanClasses plan_classes(const Plan& plan, const std::vector<std::uint32_t>& job_of_rank) {
  return PlanColours(plan, job_of_rank).classes();
}

}  // namespace simtrain
