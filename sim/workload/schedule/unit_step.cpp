#include "sim/workload/schedule/unit_step.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace simtrain {
namespace {

int units(const Task& task) { return task.phase == Phase::backward ? 2 : 1; }

class UnitPipeline {
 public:
  explicit UnitPipeline(const PipelineShape& shape) : shape_(shape) {
    for (int stage = 0; stage < shape.stages; ++stage) {
      const PipelineStage one(shape, stage);
      StageRun& run = stages_.emplace_back();
      const std::vector<Task> tasks = one.tasks();
      for (const Task& task : tasks)
        run.passes.push_back(
            {stage, task, one.model_chunks()[static_cast<std::size_t>(task.chunk)]});
    }
  }

  std::optional<UnitStep> run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (StageRun& stage : stages_) {
        while (stage.next < stage.passes.size() && step(stage)) moved = true;
      }
    }
    UnitStep result;
    int work = 0;
    for (const StageRun& stage : stages_) {
      if (stage.next < stage.passes.size()) return {};
      result.makespan = std::max(result.makespan, stage.free);
      result.peak = std::max(result.peak, peak_of(stage));
      result.passes.insert(result.passes.end(), stage.passes.begin(), stage.passes.end());
    }
    for (const UnitPass& pass : stages_.front().passes) work += units(pass.task);
    result.idle = result.makespan - work;
    return result;
  }

 private:
  using Done = std::tuple<bool, int, int>;  ///< forward, chunk of the model, micro-batch

  struct StageRun {
    std::vector<UnitPass> passes;
    std::size_t next = 0;
    int free = 0;
  };

  /// When what a pass needs is there.
  [[nodiscard]] std::optional<int> ready(const UnitPass& pass) const {
    const int copies = shape_.copies();
    const int end = shape_.parts() * copies;
    int when = 0;
    const auto needs = [&](bool forward, int chunk) {
      const auto done = done_.find({forward, chunk, pass.task.micro_batch});
      if (done == done_.end()) return false;
      when = std::max(when, done->second);
      return true;
    };
    const int chunk = pass.model_chunk;
    bool there = true;
    if (pass.task.forward()) {
      there = chunk < copies || needs(true, chunk - copies);
    } else if (pass.task.sends_gradient()) {
      there = needs(true, chunk) && (chunk + copies >= end || needs(false, chunk + copies));
    } else {
      there = needs(false, chunk);
    }
    return there ? std::optional<int>(when) : std::nullopt;
  }

  /// Runs the next pass of a stage, with its pair.
  bool step(StageRun& stage) {
    std::size_t end = stage.next + 1;
    while (stage.passes[end - 1].task.paired) ++end;
    int start = stage.free;
    for (std::size_t i = stage.next; i < end; ++i) {
      const auto when = ready(stage.passes[i]);
      if (!when) return false;
      start = std::max(start, *when);
    }
    stage.free = start;
    for (std::size_t i = stage.next; i < end; ++i) {
      UnitPass& pass = stage.passes[i];
      pass.start = stage.free;
      pass.end = stage.free += units(pass.task);
    }
    for (; stage.next < end; ++stage.next) {
      const UnitPass& pass = stage.passes[stage.next];
      if (pass.task.phase != Phase::weight_gradient)
        done_[{pass.task.forward(), pass.model_chunk, pass.task.micro_batch}] = stage.free;
    }
    return true;
  }

  [[nodiscard]] static int peak_of(const StageRun& stage) {
    int held = 0;
    int peak = 0;
    for (const UnitPass& pass : stage.passes) {
      if (pass.task.forward()) peak = std::max(peak, ++held);
      if (pass.task.makes_weight_gradients()) --held;
    }
    return peak;
  }

  PipelineShape shape_;
  std::vector<StageRun> stages_;
  std::map<Done, int> done_;
};

}  // namespace

std::optional<UnitStep> unit_step(const PipelineShape& shape) { return UnitPipeline(shape).run(); }

}  // namespace simtrain
