#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/collectives/move_schedule.h"

namespace simtrain::testing::tree_place_test {

namespace {

/// A tree from its root down: "0(8(4(2(1 3)6(5 7))12))".
std::string drawn(int domains, int domain, int tree) {
  const TreePlace place = tree_place(domains, domain, tree);
  if (place.down.empty()) return std::to_string(domain);
  std::string below;
  for (const int down : place.down) {
    if (!below.empty()) below += " ";
    below += drawn(domains, down, tree);
  }
  return fmt::format("{}({})", domain, below);
}

int root(int domains, int tree) {
  for (int domain = 0; domain < domains; ++domain) {
    if (tree_place(domains, domain, tree).up < 0) return domain;
  }
  return -1;
}

std::string drawn(int domains, int tree) { return drawn(domains, root(domains, tree), tree); }

/// Domains reached from one downward.
int reached(int domains, int domain, int tree) {
  int sum = 1;
  for (const int down : tree_place(domains, domain, tree).down) sum += reached(domains, down, tree);
  return sum;
}

}  // namespace

// Drawn in the comments of NVIDIA/nccl src/graph/trees.cc.
TEST_CASE("NCCL's published tree of 14") {
  CHECK(drawn(14, 0) == "0(8(4(2(1 3) 6(5 7)) 12(10(9 11) 13)))");
}

TEST_CASE("NCCL's published double tree of 12, mirrored") {
  CHECK(drawn(12, 0) == "0(8(4(2(1 3) 6(5 7)) 10(9 11)))");
  CHECK(drawn(12, 1) == "11(3(7(9(10 8) 5(6 4)) 1(2 0)))");
}

TEST_CASE("NCCL's published double tree of 13, shifted") {
  CHECK(drawn(13, 0) == "0(8(4(2(1 3) 6(5 7)) 12(10(9 11))))");
  CHECK(drawn(13, 1) == "1(9(5(3(2 4) 7(6 8)) 0(11(10 12))))");
}

TEST_CASE("the double trees of few domains") {
  CHECK(drawn(1, 0) == "0");
  CHECK(drawn(2, 0) == "0(1)");
  CHECK(drawn(2, 1) == "1(0)");
  CHECK(drawn(3, 0) == "0(2(1))");
  CHECK(drawn(3, 1) == "1(0(2))");
  CHECK(drawn(4, 0) == "0(2(1 3))");
  CHECK(drawn(4, 1) == "3(1(2 0))");
}

TEST_CASE("every domain but one root hangs below its parent, and all hang together") {
  for (int domains = 1; domains <= 200; ++domains) {
    for (int tree = 0; tree < 2; ++tree) {
      CAPTURE(domains);
      CAPTURE(tree);
      int roots = 0;
      for (int domain = 0; domain < domains; ++domain) {
        const TreePlace place = tree_place(domains, domain, tree);
        REQUIRE(place.down.size() <= 2);
        for (const int down : place.down) REQUIRE(tree_place(domains, down, tree).up == domain);
        if (place.up < 0) {
          ++roots;
          continue;
        }
        const std::vector<int> beside = tree_place(domains, place.up, tree).down;
        REQUIRE(std::count(beside.begin(), beside.end(), domain) == 1);
      }
      REQUIRE(roots == 1);
      REQUIRE(reached(domains, root(domains, tree), tree) == domains);
    }
  }
}

TEST_CASE("a domain inside one tree is a leaf of the other, but for domain 0 of an odd number") {
  for (int domains = 4; domains <= 200; ++domains) {
    for (int domain = 0; domain < domains; ++domain) {
      CAPTURE(domains);
      CAPTURE(domain);
      const std::size_t first = tree_place(domains, domain, 0).down.size();
      const std::size_t second = tree_place(domains, domain, 1).down.size();
      if (domain == 0 && domains % 2 == 1) {
        REQUIRE(first == 1);
        REQUIRE(second <= 1);
      } else {
        REQUIRE(std::min(first, second) == 0);
      }
    }
  }
}

TEST_CASE("the busiest domain sends twice the bytes over both trees, half a tree's each time") {
  for (int domains = 2; domains <= 200; ++domains) {
    double most = 0;
    for (int domain = 0; domain < domains; ++domain)
      most = std::max(most, tree_sent({domains, 8}, domain, 1000) * 8);
    CAPTURE(domains);
    REQUIRE(most == doctest::Approx(domains == 2 ? 1000 : domains == 3 ? 1500 : 2000));
  }
}

}  // namespace simtrain::testing::tree_place_test
