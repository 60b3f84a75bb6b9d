#include "sim/core/event_queue.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace simtrain::testing::event_queue_test {

TEST_CASE("events of one time come in the order in which they were scheduled") {
  EventQueue queue;
  queue.schedule(1, Duration(5));
  queue.schedule(0, Duration(3));
  queue.schedule(2, Duration(5));
  CHECK(queue.next_time() == Duration(3));
  CHECK(queue.pop() == 0);
  CHECK(queue.next_time() == Duration(5));
  CHECK(queue.pop() == 1);
  CHECK(queue.pop() == 2);
  CHECK(queue.empty());
}

TEST_CASE("an event scheduled at the time of the one just popped comes after its equals") {
  EventQueue queue;
  queue.schedule(1, Duration(1));
  queue.schedule(2, Duration(1));
  CHECK(queue.pop() == 1);
  queue.schedule(3, Duration(1));
  CHECK(queue.pop() == 2);
  CHECK(queue.pop() == 3);
}

TEST_CASE("what is scheduled again happens only then, after its equals") {
  EventQueue queue;
  queue.schedule(1, Duration(2));
  queue.schedule(2, Duration(4));
  queue.schedule(1, Duration(4));
  CHECK(queue.next_time() == Duration(4));
  CHECK(queue.pop() == 2);
  CHECK(queue.pop() == 1);
  CHECK(queue.empty());
  queue.schedule(1, Duration(9));
  queue.schedule(1, Duration(7));
  CHECK(queue.next_time() == Duration(7));
  CHECK(queue.pop() == 1);
  CHECK(queue.empty());
}

TEST_CASE("the queue pops as a stable sort by time of what was scheduled last would") {
  std::mt19937_64 random(20240601);
  for (int round = 0; round < 200; ++round) {
    EventQueue queue;
    std::map<std::uint32_t, std::pair<std::int64_t, int>> due;  // time and number by subject
    const int events = static_cast<int>(random() % 300);
    for (int i = 0; i < events; ++i) {
      const auto subject = static_cast<std::uint32_t>(random() % 100);
      const auto time = static_cast<std::int64_t>(random() % 20);
      queue.schedule(subject, Duration(time));
      due[subject] = {time, i};
    }
    std::vector<std::pair<std::pair<std::int64_t, int>, std::uint32_t>> sorted;
    for (const auto& [subject, when] : due) sorted.emplace_back(when, subject);
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [when, subject] : sorted) {
      REQUIRE(queue.next_time() == Duration(when.first));
      REQUIRE(queue.pop() == subject);
    }
    REQUIRE(queue.empty());
  }
}

}  // namespace simtrain::testing::event_queue_test
