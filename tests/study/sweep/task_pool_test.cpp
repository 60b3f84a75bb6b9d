#include "sim/study/tasks/task_pool.h"

#include <set>

#include <doctest/doctest.h>

#include "tests/study/sweep_question.h"

namespace simtrain::testing::task_pool_test {
namespace {

using std::chrono::milliseconds;

/// The tasks of all records, as they come.
std::multiset<std::uint64_t> drained(TaskPool& pool) {
  std::multiset<std::uint64_t> indices;
  while (pool.inside() > 0) {
    for (const std::string& record : pool.take(milliseconds(100)))
      indices.insert(row_of(record).index);
  }
  return indices;
}

TEST_CASE("A pool answers each task once, with one thread as with more than there is work") {
  const SweepQuestion question = small_question({"tp=1,2,4", "mbs=1,2"});
  const TaskList tasks = sweep_tasks(question);
  for (const int jobs : {1, 2, 4096}) {
    CAPTURE(jobs);
    TaskPool pool(tasks, jobs);
    CHECK(pool.jobs() == jobs);
    for (std::uint64_t i = 0; i < tasks.size; ++i) pool.submit(i);
    CHECK(drained(pool) == std::multiset<std::uint64_t>{0, 1, 2, 3, 4, 5});
    pool.submit(3);  // threads that had nothing to do work on
    CHECK(drained(pool) == std::multiset<std::uint64_t>{3});
  }
  CHECK(TaskPool(tasks, 0).jobs() >= 1);
}

TEST_CASE("What is withdrawn is not answered, and a pool ends without it") {
  const SweepQuestion question = small_question({"gbs=64:6400:64"});
  const TaskList tasks = sweep_tasks(question);
  TaskPool pool(tasks, 1);
  for (std::uint64_t i = 0; i < tasks.size; ++i) pool.submit(i);
  const std::vector<std::uint64_t> forgotten = pool.withdraw();
  CHECK(!forgotten.empty());
  CHECK(drained(pool).size() + forgotten.size() == tasks.size);

  TaskPool left(tasks, 2);
  for (std::uint64_t i = 0; i < tasks.size; ++i) left.submit(i);
}

}  // namespace
}  // namespace simtrain::testing::task_pool_test
