#include <algorithm>

#include <doctest/doctest.h>

#include "tests/cli/program.h"

namespace simtrain::testing::bench_test {
namespace {

TEST_CASE(
    "bench prints a line a scenario, with events and fingerprint, then sizes, then simulations a "
    "second") {
  const Outcome outcome = run_simtrain({"bench"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  const std::vector<std::string> all = lines(outcome.out);
  const auto rates = std::find_if(all.begin(), all.end(), [](const std::string& line) {
    return line.find("simulations/s") != std::string::npos;
  });
  REQUIRE(rates - all.begin() >= 4);
  const auto sizes = std::find_if(all.begin(), rates, [](const std::string& line) {
    return line.find("bytes/rank") != std::string::npos;
  });
  REQUIRE(rates - sizes >= 8);
  for (auto line = sizes + 1; !line->empty(); ++line) {
    const std::vector<std::string> cells = words(*line);
    CAPTURE(*line);
    REQUIRE(cells.size() >= 6);
    CHECK(std::stod(cells[cells.size() - 3]) > 0);  // events
    CHECK(std::stod(cells[cells.size() - 2]) > 0);  // ns/event
  }
  for (auto line = all.begin() + 1; line != sizes && !line->empty(); ++line) {
    const std::vector<std::string> cells = words(*line);
    CHECK(cells.back().size() == 16);
    CHECK(cells.back().find_first_not_of("0123456789abcdef") == std::string::npos);
  }
  CHECK(all.end() - rates == 5);
  for (auto line = rates + 1; line != all.end(); ++line) CHECK(std::stod(words(*line).back()) > 0);
}

}  // namespace
}  // namespace simtrain::testing::bench_test
