#include "sim/job/simulation/saved_states.h"

#include <doctest/doctest.h>

namespace simtrain::testing::saved_states_test {
namespace {

SavePlan save(FailureReach outlives) {
  SavePlan plan;
  plan.interval = 10;
  plan.write_s = 1;
  plan.outlives = outlives;
  return plan;
}

const SavePlan kShared = save(FailureReach::unit);
const SavePlan kOnPeers = save(FailureReach::node);

void add(SavedStates& states, const SavePlan& kind, double now, double done) {
  states.add(kind, now - 1, now, done, {});
}

double loaded(const SavedStates& states, double now, FailureReach lost) {
  return states.newest(now, lost).done;
}

TEST_CASE("The newest state counts that what failed did not take; at first the beginning") {
  SavedStates states;
  CHECK(loaded(states, 0, FailureReach::unit) == 0);
  add(states, kShared, 100, 10);
  add(states, kOnPeers, 200, 20);
  CHECK(loaded(states, 250, FailureReach::none) == 20);
  CHECK(loaded(states, 250, FailureReach::node) == 20);
  CHECK(loaded(states, 250, FailureReach::unit) == 10);
}

TEST_CASE("A job that goes back can go back further, whatever was saved since it went wrong") {
  SavedStates states;
  add(states, kShared, 100, 10);
  add(states, kOnPeers, 200, 20);
  const SavedState clean = states.newest(250, FailureReach::node);
  states.hold(250);
  for (int save = 3; save < 20; ++save)
    add(states, save % 5 == 0 ? kShared : kOnPeers, 100.0 * save, 10.0 * save);
  CHECK(loaded(states, 2000, FailureReach::unit) == 150);
  states.release();
  states.forget_after(clean, 2000);
  CHECK(loaded(states, 2000, FailureReach::node) == 20);
  CHECK(loaded(states, 2000, FailureReach::unit) == 10);
}

TEST_CASE("After release what is useless is forgotten again") {
  SavedStates states;
  states.hold(0);
  add(states, kShared, 100, 10);
  states.release();
  add(states, kShared, 200, 20);
  add(states, kShared, 300, 30);
  states.forget_after(states.newest(300, FailureReach::unit), 300);
  CHECK(loaded(states, 300, FailureReach::unit) == 30);
}

}  // namespace
}  // namespace simtrain::testing::saved_states_test
