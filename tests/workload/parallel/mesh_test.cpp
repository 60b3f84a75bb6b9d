#include "sim/workload/parallel/mesh.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "sim/workload/parallel/rank_grid.h"

namespace simtrain::testing::mesh_test {

namespace {

using Ranks = std::vector<int>;

/// Attention ranks in the order tp-cp-dp; a second mesh over the same twelve ranks.
const Mesh kDense({{Axis::tp, 2}, {Axis::cp, 2}, {Axis::dp, 3}});
const Mesh kOther({{Axis::dp, 3}, {Axis::tp, 4}});

}  // namespace

TEST_CASE("the first axis runs fastest, and an axis that a mesh lacks has one place") {
  CHECK(kDense.ranks() == 12);
  CHECK(kDense.coordinate(7, Axis::tp) == 1);
  CHECK(kDense.coordinate(7, Axis::cp) == 1);
  CHECK(kDense.coordinate(7, Axis::dp) == 1);
  CHECK(kDense.size(Axis::pp) == 1);
  CHECK(kDense.coordinate(7, Axis::pp) == 0);
}

TEST_CASE("groups are in rank order, whatever axes they span") {
  CHECK(kDense.group(7, {}) == Ranks{7});
  CHECK(kDense.group(7, {Axis::tp}) == Ranks{6, 7});
  CHECK(kDense.group(7, {Axis::cp}) == Ranks{5, 7});
  CHECK(kDense.group(7, {Axis::tp, Axis::dp}) == Ranks{2, 3, 6, 7, 10, 11});
  CHECK(kDense.group(7, {Axis::pp}) == Ranks{7});
}

TEST_CASE("several meshes lie over one rank space") {
  CHECK(kOther.ranks() == kDense.ranks());
  CHECK(kOther.group(7, {Axis::dp}) == Ranks{6, 7, 8});
  CHECK(kOther.group(7, {Axis::tp}) == Ranks{1, 4, 7, 10});
}

TEST_CASE("steps along an axis go round it") {
  CHECK(kDense.moved(7, Axis::dp, 1) == 11);
  CHECK(kDense.moved(11, Axis::dp, 1) == 3);
  CHECK(kDense.moved(3, Axis::dp, -1) == 11);
  CHECK(kDense.moved(7, Axis::pp, 5) == 7);
}

TEST_CASE("groups of random meshes part the ranks, and each begins with its first") {
  constexpr std::uint64_t kSeed = 15;
  std::mt19937_64 random(kSeed);
  const auto upto = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
  for (int i = 0; i < 200; ++i) {
    INFO("seed ", kSeed, ", case ", i);
    const Mesh mesh({{Axis::pp, upto(4)}, {Axis::tp, upto(5)}, {Axis::dp, upto(4)}});
    for (const AxisSet axes : {AxisSet{Axis::tp}, AxisSet{Axis::pp, Axis::dp}, AxisSet{Axis::cp}}) {
      std::vector<int> seen(static_cast<std::size_t>(mesh.ranks()), 0);
      for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const Ranks group = mesh.group(rank, axes);
        CHECK(static_cast<int>(group.size()) == mesh.count(axes));
        CHECK(std::is_sorted(group.begin(), group.end()));
        CHECK(std::count(group.begin(), group.end(), rank) == 1);
        CHECK(group.front() == mesh.first(rank, axes));
        if (group.front() == rank) {
          for (const int member : group) ++seen[static_cast<std::size_t>(member)];
        }
      }
      CHECK(std::count(seen.begin(), seen.end(), 1) == mesh.ranks());
    }
  }
}

TEST_CASE("each row of groups has a name and a meaning, and pairs name each other") {
  for (const GroupRow& row : group_rows()) {
    CAPTURE(row.name);
    CHECK(!row.name.empty());
    CHECK(!row.meaning.empty());
    CHECK(&row_of(row.kind) == &row);
    CHECK(row_of(row.partner).partner == row.kind);
    CHECK(row_of(row.partner).share == row.share);
    CHECK(row_of(row.partner).step == -row.step);
    CHECK((row.side == PairSide::none) == (row.partner == row.kind));
    CHECK((row.side == PairSide::none || row_of(row.partner).side != row.side));
    if (row.in_passes) CHECK(row.calls.piece);
  }
}

}  // namespace simtrain::testing::mesh_test
