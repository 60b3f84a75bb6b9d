#include "sim/study/sweep/sweep_digest.h"

#include <random>

#include <doctest/doctest.h>

#include "tests/study/sweep_question.h"

namespace simtrain::testing::sweep_digest_test {
namespace {

using testing::small_question;

SweepRow fitting(std::uint64_t index, double step_s, double bytes, double mfu = 0.5) {
  SweepRow row;
  row.index = index;
  row.step_time_s = step_s;
  row.total_bytes = bytes;
  row.mfu = mfu;
  return row;
}

SweepRow too_large(std::uint64_t index, double bytes) {
  SweepRow row = fitting(index, 1, bytes);
  row.status = SweepStatus::does_not_fit;
  return row;
}

SweepRow illegal(std::uint64_t index, std::string reason) {
  SweepRow row;
  row.index = index;
  row.status = SweepStatus::illegal;
  row.reason = std::move(reason);
  return row;
}

TEST_CASE("like reasons are counted as one, the most frequent first") {
  const SweepCounts counts =
      sweep_counts({illegal(0, "b"), illegal(1, "3 of 12"), illegal(2, "14 of 2"), fitting(3, 1, 1),
                    too_large(4, 9)});
  CHECK(counts.of(SweepStatus::ok) == 1);
  CHECK(counts.of(SweepStatus::does_not_fit) == 1);
  CHECK(counts.of(SweepStatus::illegal) == 3);
  REQUIRE(counts.reasons.size() == 2);
  CHECK(counts.reasons[0] == std::pair{std::string("N of N"), std::size_t{2}});
  CHECK(counts.reasons[1] == std::pair{std::string("b"), std::size_t{1}});
}

TEST_CASE("of like reasons those numbers are left out that differ") {
  const SweepCounts counts =
      sweep_counts({illegal(0, "VP 1; 2 or more would do"), illegal(1, "PP 8 of 10, 16 would do"),
                    illegal(2, "PP 8 of 12, 16 would do"), illegal(3, "PP 8 of 7, 16 would do")});
  REQUIRE(counts.reasons.size() == 2);
  CHECK(counts.reasons[0].first == "PP 8 of N, 16 would do");
  CHECK(counts.reasons[1].first == "VP 1; 2 or more would do");
}

TEST_CASE("a map's cell holds the best of what its two values allow, or why there is none") {
  // tp 1, 2 by mbs 1, 2; gbs 64, 128 is what is left to choose.
  const SweepQuestion question = small_question({"tp=1,2", "mbs=1,2", "gbs=64,128"});
  const std::vector<SweepRow> rows{
      fitting(0, 3, 50, 0.6), fitting(1, 2, 60, 0.4), too_large(2, 90), illegal(3, "no"),
      illegal(4, "never"),    illegal(5, "nor this"), too_large(6, 95)};
  const std::vector<SweepMap> maps = sweep_maps(question.grid, rows, 1000);
  REQUIRE(maps.size() == 3);
  CHECK(maps[0].row_axis == 0);
  CHECK(maps[0].column_axis == 1);
  CHECK(maps[2].row_axis == 1);
  CHECK(maps[2].column_axis == 2);
  const std::vector<SweepMapCell>& cells = maps[0].cells;
  REQUIRE(cells.size() == 4);
  CHECK(cells[0].fitting == 2);
  CHECK(cells[0].fastest->index == 1);
  CHECK(cells[0].highest_mfu->index == 0);
  CHECK(cells[0].smallest->index == 0);
  CHECK(cells[1].fitting == 0);
  CHECK(cells[1].smallest->index == 2);
  CHECK(cells[1].refused->index == 3);
  CHECK(cells[2].smallest == nullptr);
  CHECK(cells[2].refused->reason == "never");
  CHECK(cells[3].done == 1);  // candidate 7 is not done
  CHECK(cells[3].smallest->index == 6);
  CHECK(maps[1].cells[3].done == 1);
}

TEST_CASE("what does not fit never represents what does") {
  const SweepQuestion question = small_question({"tp=1,2", "mbs=1,2"});
  for (const bool large_first : {true, false}) {
    std::vector<SweepRow> rows{too_large(0, 5), fitting(1, 2, 60)};
    if (!large_first) std::swap(rows[0], rows[1]);
    const SweepMapCell cell = sweep_maps(question.grid, rows, 100)[0].cells[0];
    CHECK(cell.smallest->index == 0);
    rows[large_first ? 1 : 0].index = 0;
    CHECK(
        sweep_maps(small_question({"tp=1,2"}).grid, rows, 100)[0].cells[0].smallest->total_bytes ==
        60);
  }
}

TEST_CASE("one varied key is a map of its own; too many cells are left out") {
  const SweepQuestion one = small_question({"tp=1,2,4", "mbs=1"});
  const std::vector<SweepMap> maps = sweep_maps(one.grid, {fitting(2, 1, 1)}, 100);
  REQUIRE(maps.size() == 1);
  CHECK(!maps[0].column_axis);
  CHECK(maps[0].cells.size() == 3);
  CHECK(maps[0].cells[2].fitting == 1);
  CHECK(sweep_maps(one.grid, {}, 2).empty());
  const SweepQuestion three = small_question({"tp=1,2", "gbs=8:800:8", "mbs=1,2"});
  CHECK(sweep_maps(three.grid, {}, 204).size() == 2);
  CHECK(sweep_maps(three.grid, {}, 404).size() == 3);
}

TEST_CASE("a front holds what none beats, as counting every pair shows") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<SweepRow> rows;
    for (std::uint64_t i = 0; i < 30; ++i) {
      rows.push_back(
          fitting(i, 1 + static_cast<double>(random() % 8), 1 + static_cast<double>(random() % 8)));
      if (random() % 4 == 0) rows.back().status = SweepStatus::does_not_fit;
    }
    const auto bytes = [](const SweepRow& row) { return row.total_bytes; };
    const auto time = [](const SweepRow& row) { return row.step_time_s; };
    std::vector<std::pair<double, double>> wanted;
    for (const SweepRow& row : rows) {
      const bool beaten = row.status != SweepStatus::ok ||
                          std::any_of(rows.begin(), rows.end(), [&](const SweepRow& other) {
                            return other.status == SweepStatus::ok && bytes(other) <= bytes(row) &&
                                   time(other) <= time(row) &&
                                   (bytes(other) < bytes(row) || time(other) < time(row));
                          });
      if (!beaten) wanted.emplace_back(bytes(row), time(row));
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<std::pair<double, double>> found;
    for (const SweepRow* row : pareto_front(rows, bytes, time))
      found.emplace_back(bytes(*row), time(*row));
    CHECK(found == wanted);
  }
  CHECK(pareto_front(
            {}, [](auto&) { return 0.0; }, [](auto&) { return 0.0; })
            .empty());
}

}  // namespace
}  // namespace simtrain::testing::sweep_digest_test
