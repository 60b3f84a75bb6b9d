#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/study/tasks/task_list.h"

namespace simtrain {

/// Tasks that nobody works on yet, in order.
class TaskQueue {
 public:
  explicit TaskQueue(std::vector<std::uint64_t> tasks);
  [[nodiscard]] std::size_t size() const { return tasks_.size() - next_; }
  /// Up to `most` of them; empty where there are none.
  std::vector<std::uint64_t> take(std::size_t most);
  void give_back(const std::vector<std::uint64_t>& tasks);
  void clear() { next_ = tasks_.size(); }

 private:
  std::vector<std::uint64_t> tasks_;
  std::size_t next_ = 0;
};

/// Called with every record (`record_of`) as it is done, always by the same thread.
using TaskSink = std::function<void(const std::string& record)>;

/// Others who answer tasks of a queue: ranks on other machines.
class TaskPeers {
 public:
  TaskPeers() = default;
  virtual ~TaskPeers() = default;
  TaskPeers(const TaskPeers&) = delete;
  TaskPeers& operator=(const TaskPeers&) = delete;

  /// Takes what they have done and hands out what they ask for. Does not wait.
  virtual void serve(TaskQueue& queue, const TaskSink& sink) = 0;
  /// Whether none of them works any more.
  [[nodiscard]] virtual bool gone() const = 0;
};

struct TaskRun {
  std::vector<std::uint64_t> pending;  ///< tasks to answer
  int jobs = 0;                        ///< threads; 0: as many as this process may run at once
  const std::atomic<int>* stop;        ///< not 0: ends with what has been begun
  TaskSink sink;
  std::function<void()> tick;  ///< called now and then, many times a second
  TaskPeers* peers = nullptr;  ///< none: this process alone
};

/// Answers all pending tasks, or those begun when `stop` is raised. What sink or tick throw
/// ends the run, and what a task throws that is neither its fault nor the plan's.
void run_tasks(const TaskList& tasks, const TaskRun& run);

}  // namespace simtrain
