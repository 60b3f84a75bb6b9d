#include "sim/workload/parallel/colour_refinement.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace simtrain {
namespace {

std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace

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

}  // namespace simtrain
