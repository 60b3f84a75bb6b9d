#include "sim/core/threads/parallel_each.h"

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

namespace simtrain::testing::parallel_each_test {

TEST_CASE("work is done once for each number, and watched until all of it is") {
  std::vector<std::atomic<int>> times(1000);
  std::size_t calls = 0;
  std::size_t last = 0;
  parallel_each(
      times.size(), [&](std::size_t i) { ++times[i]; },
      [&](std::size_t done, std::size_t total) {
        ++calls;
        last = done;
        CHECK(total == 1000);
      });
  for (const std::atomic<int>& each : times) CHECK(each == 1);
  CHECK(calls == 1000);
  CHECK(last == 1000);
  parallel_each(0, [](std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("of several errors the first one's comes out, when all work is done") {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> done = 0;
    const auto work = [&](std::size_t i) {
      ++done;
      if (i % 10 == 3) throw std::runtime_error(std::to_string(i));
    };
    CHECK_THROWS_WITH_AS(parallel_each(100, work), "3", std::runtime_error);
    CHECK(done == 100);
  }
}

TEST_CASE("inside of work in parallel, more of it waits for nothing that another holds") {
  std::mutex held;
  std::atomic<int> done = 0;
  parallel_each(64, [&](std::size_t) {
    const std::lock_guard lock(held);  // taken again by its own thread, it would never end
    parallel_each(64, [&](std::size_t) { ++done; });
  });
  CHECK(done == 64 * 64);
}

TEST_CASE("on one core all work is the calling thread's, in its order") {
  std::set<std::thread::id> threads;
  std::vector<std::size_t> order;
  const std::string text = on_one_core([&] {
    parallel_each(500, [&](std::size_t i) {
      threads.insert(std::this_thread::get_id());
      order.push_back(i);
    });
    return std::string("what it returns");
  });
  CHECK(text == "what it returns");
  CHECK(threads == std::set{std::this_thread::get_id()});
  CHECK(order.size() == 500);
  CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == 500);
  CHECK_THROWS_WITH_AS(on_one_core([] { throw std::runtime_error("no"); }), "no",
                       std::runtime_error);
}

}  // namespace simtrain::testing::parallel_each_test
