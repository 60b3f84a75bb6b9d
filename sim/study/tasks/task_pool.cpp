#include "sim/study/tasks/task_pool.h"

#include <algorithm>
#include <oneapi/tbb/info.h>
#include <system_error>
#include <utility>

#include "sim/core/threads/parallel_each.h"

namespace simtrain {

TaskPool::TaskPool(const TaskList& tasks, int jobs)
    : tasks_(tasks), jobs_(jobs > 0 ? jobs : std::max(1, tbb::info::default_concurrency())) {}

TaskPool::~TaskPool() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    ended_ = true;
  }
  submitted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void TaskPool::submit(std::uint64_t task) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(task);
  }
  ++inside_;
  submitted_.notify_one();
  if (threads_.size() < std::min(inside_, static_cast<std::size_t>(jobs_))) start_thread();
}

void TaskPool::start_thread() {
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;
    jobs_ = static_cast<int>(threads_.size());
  }
}

std::vector<std::uint64_t> TaskPool::withdraw() {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> forgotten(waiting_.begin(), waiting_.end());
  waiting_.clear();
  inside_ -= forgotten.size();
  return forgotten;
}

std::vector<std::string> TaskPool::take(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  answered_.wait_for(lock, patience, [this] { return !done_.empty() || thrown_; });
  if (thrown_) std::rethrow_exception(thrown_);
  inside_ -= done_.size();
  return std::exchange(done_, {});
}

void TaskPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    submitted_.wait(lock, [this] { return !waiting_.empty() || ended_; });
    if (waiting_.empty()) return;
    const std::uint64_t task = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    std::string record;
    std::exception_ptr error;
    try {
      record = on_one_core([&] { return tasks_.answer(task); });
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error) {
      thrown_ = error;
    } else {
      done_.push_back(std::move(record));
    }
    answered_.notify_one();
  }
}

}  // namespace simtrain
