#include "sim/run/engine/bursts.h"

#include <doctest/doctest.h>

namespace simtrain::testing::bursts_test {

namespace {

using Started = std::vector<std::uint32_t>;

Burst burst(std::uint8_t stream, double start_s, double needed_s) {
  return {.stream = stream, .start_s = start_s, .needed_s = needed_s, .wire = 1, .limit = 1};
}

}  // namespace

TEST_CASE("a stretch stands where it needs a transfer that has not ended") {
  const Bursts bursts({burst(1, 1, 2), burst(2, 3, 4)});
  BurstRun run(bursts);
  Started started;
  CHECK(run.next_s(5) == 1);
  run.reach(started);
  CHECK(started == Started{0});
  CHECK(run.next_s(5) == 2);
  started.clear();
  run.reach(started);
  CHECK(run.stalled());
  run.end(0, started);
  CHECK_FALSE(run.stalled());
  CHECK(started.empty());
  CHECK(run.next_s(5) == 3);
  run.reach(started);
  CHECK(started == Started{1});
  run.end(1, started);  // before it is needed
  run.reach(started);
  CHECK_FALSE(run.stalled());
  CHECK(run.over());
  CHECK(run.next_s(5) == 5);
}

TEST_CASE("transfers of one stream come one after the other") {
  const Bursts bursts({burst(1, 0, 9), burst(1, 1, 9), burst(2, 2, 9)});
  BurstRun run(bursts);
  Started started;
  run.reach(started);
  run.reach(started);
  run.reach(started);
  CHECK(started == Started{0, 2});
  started.clear();
  run.end(2, started);
  CHECK(started.empty());
  run.end(0, started);
  CHECK(started == Started{1});
  started.clear();
  run.reach(started);
  CHECK(run.stalled());
  CHECK_FALSE(run.over());
  run.end(1, started);
  CHECK(run.over());
}

TEST_CASE("what is due when a stretch goes on happens at once") {
  const Bursts bursts({burst(1, 0, 2), burst(1, 2, 3), burst(2, 2, 3)});
  BurstRun run(bursts);
  Started started;
  run.reach(started);
  CHECK(run.next_s(5) == 2);
  started.clear();
  run.reach(started);  // those that start there are on their way before the stretch stands
  CHECK(started == Started{2});
  CHECK(run.stalled());
  run.end(0, started);
  CHECK(started == Started{2, 1});
}

}  // namespace simtrain::testing::bursts_test
