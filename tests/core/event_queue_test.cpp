#include "sim/core/event_queue.h"

#include <algorithm>
#include <random>
#include <utility>

#include <doctest/doctest.h>

using namespace simtrain;

TEST_CASE("events of one time come in the order in which they were scheduled") {
  EventQueue<char> queue;
  queue.schedule(Duration(5), 'b');
  queue.schedule(Duration(3), 'a');
  queue.schedule(Duration(5), 'c');
  CHECK(queue.next_time() == Duration(3));
  CHECK(queue.pop().payload == 'a');
  CHECK(queue.pop().payload == 'b');
  const auto last = queue.pop();
  CHECK(last.payload == 'c');
  CHECK(last.time == Duration(5));
  CHECK(queue.empty());
}

TEST_CASE("an event scheduled at the time of the one just popped comes after its equals") {
  EventQueue<int> queue;
  queue.schedule(Duration(1), 1);
  queue.schedule(Duration(1), 2);
  CHECK(queue.pop().payload == 1);
  queue.schedule(Duration(1), 3);
  CHECK(queue.pop().payload == 2);
  CHECK(queue.pop().payload == 3);
}

TEST_CASE("the queue pops as a stable sort by time would") {
  std::mt19937_64 random(20240601);
  for (int round = 0; round < 200; ++round) {
    EventQueue<int> queue;
    std::vector<std::pair<std::int64_t, int>> sorted;
    const int events = static_cast<int>(random() % 300);
    for (int i = 0; i < events; ++i) {
      const auto time = static_cast<std::int64_t>(random() % 20);
      queue.schedule(Duration(time), i);
      sorted.emplace_back(time, i);
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [time, payload] : sorted) {
      const auto event = queue.pop();
      REQUIRE(event.time == Duration(time));
      REQUIRE(event.payload == payload);
    }
    REQUIRE(queue.empty());
  }
}
