#include "sim/study/tasks/run_tasks.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/study/tasks/task_pool.h"

namespace simtrain {

TaskQueue::TaskQueue(std::vector<std::uint64_t> tasks) : tasks_(std::move(tasks)) {}

std::vector<std::uint64_t> TaskQueue::take(std::size_t most) {
  const auto begin = tasks_.begin() + static_cast<std::ptrdiff_t>(next_);
  const std::size_t count = std::min(most, size());
  next_ += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

void TaskQueue::give_back(const std::vector<std::uint64_t>& tasks) {
  tasks_.insert(tasks_.end(), tasks.begin(), tasks.end());
}

void run_tasks(const TaskList& tasks, const TaskRun& run) {
  constexpr std::size_t kAhead = 8;  // tasks that wait for each thread
  const std::chrono::milliseconds patience(run.peers != nullptr ? 1 : 100);
  TaskQueue queue(run.pending);
  TaskPool pool(tasks, run.jobs);
  const std::size_t most = kAhead * static_cast<std::size_t>(pool.jobs());
  const auto peers_gone = [&] { return run.peers == nullptr || run.peers->gone(); };
  while (queue.size() > 0 || pool.inside() > 0 || !peers_gone()) {
    if (run.stop->load() != 0) {
      queue.clear();
      pool.withdraw();
      if (pool.inside() == 0 && peers_gone()) break;
    }
    for (const std::uint64_t task : queue.take(most - std::min(most, pool.inside())))
      pool.submit(task);
    for (const std::string& record : pool.take(patience)) run.sink(record);
    if (run.peers != nullptr) run.peers->serve(queue, run.sink);
    run.tick();
  }
}

}  // namespace simtrain
