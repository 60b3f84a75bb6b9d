#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/workload/schedule/schedule.h"

namespace simtrain::testing {

/// What a pipeline takes whose forwards, input gradients and weight gradients take one unit each
/// and whose messages take nothing.
struct UnitStep {
  int makespan = 0;
  int idle = 0;  ///< of each stage, from 0 to the makespan
  int peak = 0;  ///< chunks held by the worst stage, from a forward to its weight gradient
};

/// Runs the tasks of all stages against each other, on dependencies alone: where a message goes
/// does not count.
class UnitPipeline {
 public:
  explicit UnitPipeline(const PipelineShape& shape) : shape_(shape) {
    for (int stage = 0; stage < shape.stages; ++stage) {
      const PipelineStage one(shape, stage);
      tasks_.push_back(one.tasks());
      chunks_.push_back(one.model_chunks());
    }
    next_.assign(tasks_.size(), 0);
    free_.assign(tasks_.size(), 0);
  }

  /// Nothing where some stage waits for ever.
  std::optional<UnitStep> run() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t stage = 0; stage < tasks_.size(); ++stage) {
        while (next_[stage] < tasks_[stage].size() && step(stage)) moved = true;
      }
    }
    UnitStep result;
    int work = 0;
    for (std::size_t stage = 0; stage < tasks_.size(); ++stage) {
      if (next_[stage] < tasks_[stage].size()) return {};
      result.makespan = std::max(result.makespan, free_[stage]);
      result.peak = std::max(result.peak, peak_of(stage));
      work = 0;
      for (const Task& task : tasks_[stage]) work += units(task);
    }
    result.idle = result.makespan - work;
    return result;
  }

  static int units(const Task& task) { return task.phase == Phase::backward ? 2 : 1; }

 private:
  using Pass = std::tuple<bool, int, int>;  ///< forward, chunk of the model, micro-batch

  [[nodiscard]] int chunk_of(std::size_t stage, const Task& task) const {
    return chunks_[stage][static_cast<std::size_t>(task.chunk)];
  }

  /// When what a task needs is there.
  [[nodiscard]] std::optional<int> ready(std::size_t stage, const Task& task) const {
    const int chunk = chunk_of(stage, task);
    const int last = shape_.stages * shape_.chunks - 1;
    int when = 0;
    const auto needs = [&](bool forward, int of) {
      const auto done = done_.find({forward, of, task.micro_batch});
      if (done == done_.end()) return false;
      when = std::max(when, done->second);
      return true;
    };
    bool there = true;
    if (task.forward()) {
      there = chunk == 0 || needs(true, chunk - 1);
    } else if (task.sends_gradient()) {
      there = needs(true, chunk) && (chunk == last || needs(false, chunk + 1));
    } else {
      there = needs(false, chunk);
    }
    return there ? std::optional<int>(when) : std::nullopt;
  }

  /// Runs the next task of a stage, with its pair.
  bool step(std::size_t stage) {
    std::vector<Task> together{tasks_[stage][next_[stage]]};
    while (together.back().paired)
      together.push_back(tasks_[stage][next_[stage] + together.size()]);
    int start = free_[stage];
    int length = 0;
    for (const Task& task : together) {
      const auto when = ready(stage, task);
      if (!when) return false;
      start = std::max(start, *when);
      length += units(task);
    }
    for (const Task& task : together) {
      if (task.phase != Phase::weight_gradient)
        done_[{task.forward(), chunk_of(stage, task), task.micro_batch}] = start + length;
    }
    free_[stage] = start + length;
    next_[stage] += together.size();
    return true;
  }

  [[nodiscard]] int peak_of(std::size_t stage) const {
    int held = 0;
    int peak = 0;
    for (const Task& task : tasks_[stage]) {
      if (task.forward()) peak = std::max(peak, ++held);
      if (task.makes_weight_gradients()) --held;
    }
    return peak;
  }

  PipelineShape shape_;
  std::vector<std::vector<Task>> tasks_;
  std::vector<std::vector<int>> chunks_;
  std::vector<std::size_t> next_;
  std::vector<int> free_;
  std::map<Pass, int> done_;
};

}  // namespace simtrain::testing
