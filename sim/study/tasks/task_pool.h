#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sim/study/tasks/task_list.h"

namespace simtrain {

/// Threads that answer tasks. Tasks go in, records come out as they are
/// done, in no order. The threads are its own: it sets nothing for the process, which may be
/// another's program.
class TaskPool {
 public:
  /// Up to `jobs` threads, 0 for as many as this process may run at once; fewer where the system
  /// gives no more. The list outlives the pool.
  TaskPool(const TaskList& tasks, int jobs);
  /// Waits for what is being answered; what was not begun is dropped.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  [[nodiscard]] int jobs() const { return jobs_; }
  /// Tasks that went in and have not come out.
  [[nodiscard]] std::size_t inside() const { return inside_; }

  /// Throws std::system_error where the system gives no thread at all.
  void submit(std::uint64_t task);
  /// Forgets the tasks that no thread has begun, and returns them.
  std::vector<std::uint64_t> withdraw();
  /// What is done; waits up to `patience` where nothing is. Throws what a thread has thrown.
  std::vector<std::string> take(std::chrono::milliseconds patience);

 private:
  void start_thread();
  void work();

  const TaskList& tasks_;
  int jobs_;
  std::size_t inside_ = 0;  ///< of the owner's thread

  std::mutex mutex_;
  std::condition_variable submitted_;
  std::condition_variable answered_;
  std::deque<std::uint64_t> waiting_;
  std::vector<std::string> done_;
  std::exception_ptr thrown_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace simtrain
