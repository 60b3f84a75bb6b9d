#include "sim/measured/profiles/busy_time.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace simtrain::testing::busy_time_test {
namespace {

TEST_CASE("Time is busy once, whatever overlaps and in whatever order it comes") {
  BusyTime busy;
  CHECK(!busy.sums());
  busy.add(100, 110);
  busy.add(50, 60);
  busy.add(55, 70);
  busy.add(104, 106);
  busy.add(70, 71);
  busy.add(30, 20);  // ends before it starts
  busy.add(200, 200);
  const auto sums = busy.sums();
  REQUIRE(sums);
  CHECK(sums->busy == 31);
  CHECK(sums->whole == 150);
}

TEST_CASE("Busy time of random spans is what marking each moment gives") {
  std::mt19937 random(47);
  for (const int count : {1, 30, 3000, 20000}) {
    constexpr std::int64_t kMoments = 60000;
    std::vector<bool> marked(kMoments, false);
    BusyTime busy;
    std::int64_t first = kMoments;
    std::int64_t last = 0;
    for (int i = 0; i < count; ++i) {
      const std::int64_t start = static_cast<std::int64_t>(random() % (kMoments - 8));
      const std::int64_t end = start + 1 + static_cast<std::int64_t>(random() % 6);
      for (std::int64_t at = start; at < end; ++at) marked[static_cast<std::size_t>(at)] = true;
      busy.add(start, end);
      first = std::min(first, start);
      last = std::max(last, end);
    }
    const auto sums = busy.sums();
    REQUIRE(sums);
    CHECK(sums->busy == std::count(marked.begin(), marked.end(), true));
    CHECK(sums->whole == last - first);
  }
}

}  // namespace
}  // namespace simtrain::testing::busy_time_test
