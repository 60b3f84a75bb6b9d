#include "sim/core/suggestion.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace simtrain {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

const std::string* closest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestWord = 100;  // beyond it nobody mistyped, and distances take long
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  const std::string* found = nullptr;
  for (const std::string& name : known) {
    if (word.size() > kLongestWord) break;
    const std::size_t distance = edit_distance(word, name);
    if (distance >= least) continue;
    least = distance;
    found = &name;
  }
  return found;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  if (const std::string* near = closest(word, known))
    return fmt::format("did you mean '{}'?", *near);
  return fmt::format("known are {}", fmt::join(known, ", "));
}

}  // namespace simtrain
