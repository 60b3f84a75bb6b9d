#include "sim/job/simulation/counter_random.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <doctest/doctest.h>

namespace simtrain::testing::counter_random_test {
namespace {

TEST_CASE("Philox 4x32-10 gives the words of its authors' known-answer tests") {
  using Words = std::array<std::uint32_t, 4>;
  CHECK(philox({0, 0}, {0, 0, 0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t kAll = 0xffffffff;
  CHECK(philox({kAll, kAll}, {kAll, kAll, kAll, kAll}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("A stream depends on its seed, run and number alone, and no two are alike") {
  std::set<double> firsts;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (std::uint32_t run = 0; run < 10; ++run) {
      for (std::uint32_t stream = 0; stream < 3; ++stream) {
        CounterRandom random(seed, run, stream);
        const double first = random.uniform();
        CHECK(first == CounterRandom(seed, run, stream).uniform());
        CHECK(firsts.insert(first).second);
      }
    }
  }
  CHECK(CounterRandom(std::uint64_t{1} << 32U, 0, 0).uniform() != CounterRandom(0, 0, 0).uniform());
}

TEST_CASE("Exponential numbers have their mean and its distribution") {
  CounterRandom random(7, 1, 2);
  constexpr int kCount = 20000;
  std::vector<double> drawn;
  double sum = 0;
  for (int i = 0; i < kCount; ++i) {
    drawn.push_back(random.exponential(3));
    sum += drawn.back();
  }
  CHECK(sum / kCount == doctest::Approx(3).epsilon(0.03));
  std::sort(drawn.begin(), drawn.end());
  CHECK(drawn.front() >= 0);
  CHECK(drawn[kCount / 2] == doctest::Approx(3 * std::log(2)).epsilon(0.03));
}

}  // namespace
}  // namespace simtrain::testing::counter_random_test
