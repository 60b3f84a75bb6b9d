#include <doctest/doctest.h>

#include "tests/collectives/fixed_ring.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::second_library_test {

namespace {

/// TP2 PP2 CP2 DP2: every kind of call that a step makes.
Scenario mixed(const FixedRing& settings) {
  Scenario mixed =
      scenario("llama31_8b_h100", "bf16-16",
               {"tp=2", "pp=2", "cp=2", "vp=1", "gbs=16", "parallelism.sequence_parallel=true"});
  mixed.recipe.software.library = {&fixed_ring_row(), settings};
  return mixed;
}

double step_seconds(const FixedRing& settings, bool unfold = false) {
  SimulateOptions options;
  options.unfold = unfold;
  return simulate(mixed(settings), options).step_time_s;
}

}  // namespace

TEST_CASE("a step runs on a library that the program does not know") {
  const FixedRing usual;
  const double step = step_seconds(usual);
  CHECK(step > 0);
  CHECK(step == step_seconds(usual, true));
  // NCCL chooses and pays otherwise.
  Scenario with_nccl = mixed(usual);
  with_nccl.recipe.software.library = usual_library(*library_rows().front());
  CHECK(simulate(with_nccl).step_time_s != step);
}

TEST_CASE("a step takes longer on a library of more latency, and on one of less rate") {
  const double free = step_seconds({Duration(0), Bandwidth(1e18)});
  CHECK(step_seconds({std::chrono::milliseconds(1), Bandwidth(1e18)}) > free + 0.001);
  const double slow = step_seconds({Duration(0), Bandwidth(10e9)});
  CHECK(slow > free);
  CHECK(step_seconds({Duration(0), Bandwidth(1e9)}) > slow);
}

}  // namespace simtrain::testing::second_library_test
