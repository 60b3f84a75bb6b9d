#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {

/// The tasks of a stage while its order is written down: each is the next micro-batch of its phase
/// and chunk. Micro-batches beyond those of the shape are left out.
class TaskOrder {
 public:
  TaskOrder(int micro_batches, int chunks)
      : micro_batches_(micro_batches), next_(static_cast<std::size_t>(chunks)) {
    tasks_.reserve(3 * static_cast<std::size_t>(micro_batches) * next_.size());
  }

  void forward(int chunk) { add(Phase::forward, chunk); }
  void backward(int chunk) { add(Phase::backward, chunk); }
  void input_gradient(int chunk) { waiting_.push_back(add(Phase::input_gradient, chunk)); }
  /// Of a chunk the oldest whose input gradient is done.
  void weight_gradient(int chunk) {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (waiting_[i].chunk == chunk) return weight_gradient_at(i);
    }
  }
  /// Of all chunks the oldest; nothing where none waits.
  void oldest_weight_gradient() {
    if (!waiting_.empty()) weight_gradient_at(0);
  }
  void all_weight_gradients() {
    while (!waiting_.empty()) weight_gradient_at(0);
  }
  /// The last two tasks run as one.
  void pair_last_two() { tasks_[tasks_.size() - 2].paired = true; }

  /// Forwards of a chunk so far.
  [[nodiscard]] int forwards(int chunk) const { return next_[at(chunk)][0]; }
  [[nodiscard]] bool waits() const { return !waiting_.empty(); }
  [[nodiscard]] std::vector<Task> take() { return std::move(tasks_); }

 private:
  static std::size_t at(int chunk) { return static_cast<std::size_t>(chunk); }

  /// Whole and cut backwards count as one.
  Task add(Phase phase, int chunk) {
    int& next = next_[at(chunk)][phase == Phase::forward ? 0 : 1];
    const Task task{phase, next++, chunk};
    put(task);
    return task;
  }
  void put(const Task& task) {
    if (task.micro_batch < micro_batches_) tasks_.push_back(task);
  }
  void weight_gradient_at(std::size_t place) {
    Task task = waiting_[place];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(place));
    task.phase = Phase::weight_gradient;
    put(task);
  }

  int micro_batches_;
  std::vector<Task> tasks_;
  std::vector<std::array<int, 2>> next_;  ///< by chunk: forward, backward
  std::vector<Task> waiting_;             ///< input gradients whose weight gradients are not done
};

}  // namespace simtrain
