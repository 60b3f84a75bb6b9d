#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/workload/plan/data/data_flow.h"
#include "sim/workload/plan/offload/offloaded_layers.h"
#include "sim/workload/schedule/schedule.h"

namespace simtrain {

/// The copies of activations to the host and back in a rank's program of a step. The builder of the
/// program calls in the order in which the host issues passes; each call may add ops.
class ActivationOffload {
 public:
  ActivationOffload(const StepContext& context, const std::vector<ChunkLayout>& chunks,
                    std::vector<Task> tasks, StepProgram& step);

  /// Whether a pass runs stretch by stretch, because something leaves or comes back in it.
  [[nodiscard]] bool cuts(const Task& task) const;
  /// Before a stretch of such a pass: what comes back.
  void before(const Task& task, std::size_t stretch);
  /// After it: what leaves.
  void after(const Task& task, std::size_t stretch);

 private:
  struct Copies {
    std::vector<std::uint32_t> out;  ///< by offloaded layer
    std::vector<std::uint32_t> back;
    std::uint32_t awaited = kNoOp;  ///< the last of `back` that compute waited for
  };
  struct Chunk {
    ChunkLayout layout;
    std::vector<OffloadedLayer> layers;
    std::vector<std::uint32_t> out_costs;
    std::vector<std::uint32_t> back_costs;
  };

  [[nodiscard]] const Chunk& chunk_of(const Task& task) const {
    return chunks_[static_cast<std::size_t>(task.chunk)];
  }
  [[nodiscard]] Copies& copies_of(const Task& task) {
    return copies_[{task.chunk, task.micro_batch}];
  }
  [[nodiscard]] static int layer_at(const Chunk& chunk, const Task& task, std::size_t stretch);
  void copy_out(const Task& task, std::size_t number);
  void copy_back(const Task& task, std::size_t number);
  void wait_for(std::uint32_t copy);
  void wait_for_back(const Task& task, std::size_t number);
  void copy_back_ahead(const Task& task);

  StepProgram& step_;
  std::vector<Chunk> chunks_;
  std::vector<Task> tasks_;
  std::size_t place_ = 0;                         ///< in them, of the last backward
  std::map<std::pair<int, int>, Copies> copies_;  ///< by chunk and micro-batch
  std::uint32_t wait_cost_ = kNoOp;
};

}  // namespace simtrain
