#include "sim/study/validate/measured_sources.h"

#include <cmath>

#include <doctest/doctest.h>

namespace simtrain::testing::measured_sources_test {

namespace {

MeasuredSourceRow row(const std::string& source, StackKnowledge stack, double measured,
                      double predicted) {
  MeasuredSourceRow result;
  result.source = source;
  result.stack = stack;
  result.gpu = "h100-sxm";
  result.measured_s = measured;
  result.predicted_s = predicted;
  result.error.relative = 0.01;
  return result;
}

/// Slower by 20 %, by 10 %, and faster by 10 %.
std::vector<MeasuredSourceRow> three_sources() {
  constexpr auto kKnown = StackKnowledge::described;
  return {row("a", kKnown, 1.2, 1), row("b", kKnown, 1.1, 1), row("c", kKnown, 0.9, 1)};
}

}  // namespace

TEST_CASE("Slowness is the root of the mean square over recipes; a faster one counts as none") {
  const double a = std::log(1.2);
  const double b = std::log(1.1);
  CHECK(slowness(three_sources(), StackKnowledge::described) ==
        doctest::Approx(std::sqrt((a * a + b * b) / 3)));
  CHECK(slowness(three_sources(), StackKnowledge::related) == 0);
}

TEST_CASE("Rows of one recipe of a source count as one, another recipe for itself") {
  std::vector<MeasuredSourceRow> rows = three_sources();
  const double before = slowness(rows, StackKnowledge::described);
  rows.insert(rows.end(), 10, rows.front());
  CHECK(slowness(rows, StackKnowledge::described) == doctest::Approx(before));
  rows.back().scenario = "another.yaml";
  CHECK(slowness(rows, StackKnowledge::described) > before * 1.05);
}

TEST_CASE("Nine of ten recipes lie within what slowness makes an interval of") {
  // Most are met, two of ten are as slow: more than their root of the mean square allows.
  std::vector<MeasuredSourceRow> rows(10, three_sources().front());
  const double slow = std::log(rows.front().measured_s / rows.front().predicted_s);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].scenario = std::string(i + 1, 'a') + ".yaml";
    if (i >= 2) rows[i].predicted_s = rows[i].measured_s;
  }
  CHECK(slowness(rows, rows.front().stack) ==
        doctest::Approx(std::max(slow * std::sqrt(0.2), slow / kNineOfTen)));
  rows[1].predicted_s = rows[1].measured_s;
  CHECK(slowness(rows, rows.front().stack) == doctest::Approx(slow * std::sqrt(0.1)));
}

TEST_CASE("No source widens its own interval where it is left out") {
  const std::vector<MeasuredSourceRow> rows = with_errors_of_others(three_sources());
  const double b = std::log(1.1);
  CHECK(rows[0].error.slower == doctest::Approx(std::sqrt(b * b / 2)));
  CHECK_FALSE(rows[0].covered());  // 20 % where the others allow 11 %
  CHECK(rows[1].covered());
  CHECK(rows[0].error.relative == 0.01);
}

TEST_CASE("Groups count all rows by each property, with what of them is inside") {
  std::vector<MeasuredSourceRow> rows = three_sources();
  rows[0].grade = Grade::searched;
  rows[1].error.slower = 0.2;
  const std::vector<MeasuredGrouping> groupings = measured_groupings(rows);
  REQUIRE(groupings.size() == 8);
  CHECK(groupings[0].groups[0].errors.points == 3);
  CHECK(groupings[0].groups[0].covered == doctest::Approx(1.0 / 3));
  CHECK(groupings[0].groups[1].errors.points == 2);
  CHECK(groupings[1].by == "source");
  REQUIRE(groupings[1].groups.size() == 3);
  CHECK(groupings[1].groups[1].name == "b");
  CHECK(groupings[1].groups[1].covered == 1);
  CHECK(groupings[1].groups[1].errors.bias == doctest::Approx(1 / 1.1 - 1));
}

}  // namespace simtrain::testing::measured_sources_test
