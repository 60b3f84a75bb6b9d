#include "sim/topology/fault_times.h"

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"

namespace simtrain::testing::fault_times_test {
using std::chrono::seconds;

namespace {

/// A GPU that is always slow, one from 10 s on for 5 s, a NIC from 12 s on for good, a link until
/// 10 s.
ClusterFaults faults() {
  ClusterFaults faults;
  faults.gpus.push_back({"0", 0, 1.5, {}});
  faults.gpus.push_back({"0", 1, 2, {}, {seconds(10), seconds(5)}});
  faults.nics.push_back({"1", 0, 0.5, {}, {seconds(12), {}}});
  faults.links.push_back({"leaf0", "spine0", 0, {}, {{}, seconds(10)}});
  return faults;
}

}  // namespace

TEST_CASE("faults hold from their start to their end, the end left out") {
  using Held = std::vector<bool>;
  CHECK(holding_at(faults(), seconds(0)) == Held{true, false, false, true});
  CHECK(holding_at(faults(), seconds(10)) == Held{true, true, false, false});
  CHECK(holding_at(faults(), seconds(12)) == Held{true, true, true, false});
  CHECK(holding_at(faults(), seconds(15)) == Held{true, false, true, false});
}

TEST_CASE("those that hold are permanent ones, and nothing else is left") {
  const ClusterFaults held = faults_at(faults(), seconds(11));
  REQUIRE(held.gpus.size() == 2);
  CHECK(held.gpus[1].slowdown == 2);
  CHECK(held.nics.empty());
  CHECK(held.links.empty());
  CHECK_FALSE(come_and_go(held));
  CHECK(permanent_faults(faults()).gpus.size() == 1);
}

TEST_CASE("in place, those that do not hold break nothing") {
  const ClusterFaults all = faults_in_place_at(faults(), seconds(0));
  CHECK(all.gpus[0].slowdown == 1.5);
  CHECK(all.gpus[1].slowdown == 1);
  CHECK(all.nics[0].bandwidth_share == 1);
  CHECK(all.links[0].bandwidth_share == 0);
  CHECK_FALSE(come_and_go(all));
}

TEST_CASE("edges come in order, each once, and none of what never holds") {
  ClusterFaults some = faults();
  some.nics.push_back({"1", 1, 0, {}, {seconds(13), seconds(0)}});
  CHECK(fault_edges(some, seconds(0)) ==
        std::vector<Duration>{seconds(10), seconds(12), seconds(15)});
  CHECK(fault_edges(some, seconds(12)) == std::vector<Duration>{seconds(15)});
  CHECK(fault_edges(permanent_faults(some), seconds(0)).empty());
}

TEST_CASE("who asks about steps that are alike refuses times") {
  CHECK_NOTHROW(refuse_fault_times(permanent_faults(faults()), "tune"));
  ClusterFaults timed = faults();
  timed.gpus[1].where = {"s.yaml", 7, 3};
  CHECK_THROWS_WITH_AS(refuse_fault_times(timed, "tune"),
                       "s.yaml:7:3: cluster.faults: tune asks about steps that are all alike; a "
                       "fault without start and for would do",
                       InputError);
}

}  // namespace simtrain::testing::fault_times_test
