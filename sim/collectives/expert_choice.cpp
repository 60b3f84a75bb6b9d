#include "sim/collectives/expert_choice.h"

#include <algorithm>
#include <vector>

namespace simtrain {
namespace {

/// With this chance one place has so many of the experts that a token may still choose.
struct Reach {
  double chance = 1;
  double held = 0;
};

double share_of(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// That of `draws` distinct ones of `all` none is among `marked`.
double none_drawn(double all, double marked, std::int64_t draws) {
  double chance = 1;
  for (std::int64_t draw = 0; draw < draws; ++draw) {
    const auto drawn = static_cast<double>(draw);
    chance *= std::max(0.0, all - marked - drawn) / (all - drawn);
  }
  return chance;
}

double ways_to_choose(std::int64_t of, std::int64_t chosen) {
  double ways = chosen <= of ? 1 : 0;
  for (std::int64_t i = 0; i < chosen && ways > 0; ++i) ways *= share_of(of - i, i + 1);
  return ways;
}

bool groups_count(const ExpertChoice& choice, std::int64_t places) {
  return choice.group_topk < choice.groups &&
         (choice.groups % places == 0 || places % choice.groups == 0);
}

/// Experts that a token may still choose when its groups are chosen.
double within_reach(const ExpertChoice& choice, std::int64_t places) {
  const auto experts = static_cast<double>(choice.experts);
  return groups_count(choice, places) ? experts * share_of(choice.group_topk, choice.groups)
                                      : experts;
}

std::vector<Reach> reaches(const ExpertChoice& choice, std::int64_t places) {
  const double held = share_of(choice.experts, places);
  if (!groups_count(choice, places)) return {{1, held}};
  if (places >= choice.groups) {
    const double chosen = share_of(choice.group_topk, choice.groups);
    return {{chosen, held}, {1 - chosen, 0}};
  }
  std::vector<Reach> found;
  const std::int64_t own = choice.groups / places;
  const double all = ways_to_choose(choice.groups, choice.group_topk);
  for (std::int64_t chosen = 0; chosen <= std::min(own, choice.group_topk); ++chosen) {
    const double ways = ways_to_choose(own, chosen) *
                        ways_to_choose(choice.groups - own, choice.group_topk - chosen);
    found.push_back({ways / all, held * share_of(chosen, own)});
  }
  return found;
}

}  // namespace

double distinct_places(const ExpertChoice& choice, std::int64_t places) {
  const double pool = within_reach(choice, places);
  double missed = 0;
  for (const Reach& reach : reaches(choice, places))
    missed += reach.chance * none_drawn(pool, reach.held, choice.topk);
  return static_cast<double>(places) * (1 - missed);
}

double rows_variance(const ExpertChoice& choice, double tokens, std::int64_t places) {
  const double pool = within_reach(choice, places);
  const auto topk = static_cast<double>(choice.topk);
  const double mean = topk * share_of(1, places);
  double variance = 0;
  for (const Reach& reach : reaches(choice, places)) {
    const double share = reach.held / pool;
    const double off = topk * share - mean;
    variance += reach.chance *
                (tokens * topk * share * (1 - share) * (pool - topk) / std::max(1.0, pool - 1) +
                 tokens * off * off);
  }
  return variance;
}

}  // namespace simtrain
