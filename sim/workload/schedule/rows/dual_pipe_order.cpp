#include "sim/workload/schedule/rows/dual_pipe_order.h"

#include "sim/workload/schedule/rows/task_order.h"

namespace simtrain {
namespace {

/// The eight steps.
class DualPipeOrder {
 public:
  DualPipeOrder(int stages, int micro_batches, int stage)
      : list_(micro_batches, 2),
        micro_batches_(micro_batches),
        stages_(stages),
        stage_(stage),
        behind_(stages - stage - 1) {}

  std::vector<Task> tasks() {
    fill();
    overlap();
    cool_down();
    return list_.take();
  }

 private:
  void fill() {
    for (int i = 0; i < 2 * behind_; ++i) list_.forward(kChunkDown);
    for (int i = 0; i <= stage_; ++i) {
      list_.forward(kChunkDown);
      list_.forward(kChunkUp);
    }
    for (int i = 0; i < behind_; ++i) {
      list_.input_gradient(kChunkUp);
      list_.oldest_weight_gradient();
      list_.forward(kChunkUp);
    }
  }

  void pair(int forward, int backward) {
    list_.forward(forward);
    list_.backward(backward);
    list_.pair_last_two();
  }

  /// The last stage begins with a forward whose output it takes itself.
  void overlap() {
    for (int i = 0; i < micro_batches_ - 2 * stages_ + stage_ + 1; ++i) {
      if (i == 0 && behind_ == 0) {
        list_.forward(kChunkDown);
        list_.backward(kChunkUp);
      } else {
        pair(kChunkDown, kChunkUp);
      }
      pair(kChunkUp, kChunkDown);
    }
    for (int i = 0; i < behind_; ++i) {
      list_.backward(kChunkUp);
      pair(kChunkUp, kChunkDown);
    }
  }

  /// In the second half of the last backwards weight gradients are left for later.
  void cool_down() {
    const int half = (stage_ + 1) / 2;
    for (int i = 0; i <= stage_; ++i) {
      backward(kChunkUp, i > half || (i == half && stage_ % 2 == 1));
      backward(kChunkDown, i >= half);
    }
    for (int i = 0; i < behind_; ++i) {
      list_.oldest_weight_gradient();
      list_.input_gradient(kChunkDown);
    }
    list_.all_weight_gradients();
  }

  void backward(int chunk, bool cut) { cut ? list_.input_gradient(chunk) : list_.backward(chunk); }

  TaskOrder list_;
  int micro_batches_;
  int stages_;
  int stage_;
  int behind_;  ///< stages after it
};

}  // namespace

std::vector<Task> dual_pipe_order(int stages, int micro_batches, int stage) {
  return DualPipeOrder(stages, micro_batches, stage).tasks();
}

}  // namespace simtrain
