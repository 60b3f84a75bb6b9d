#include "sim/workload/schedule/rows/v_pattern.h"

#include <algorithm>

#include "sim/workload/schedule/rows/task_order.h"

namespace simtrain {

std::vector<Task> v_pattern(int micro_batches, const VOffsets& offsets) {
  constexpr int kPeriod = 6;
  TaskOrder list(micro_batches, 2);
  const auto runs = [&](int unit, int offset) {
    const int since = unit - offset;
    return since >= 0 && since % kPeriod == 0 && since / kPeriod < micro_batches;
  };
  const int last = std::max(offsets.input_gradient_up, offsets.input_gradient_down) +
                   kPeriod * (micro_batches - 1);
  for (int unit = 0; unit <= last; ++unit) {
    if (runs(unit, offsets.forward_down)) {
      list.forward(kChunkDown);
    } else if (runs(unit, offsets.forward_up)) {
      list.forward(kChunkUp);
    } else if (runs(unit, offsets.input_gradient_up)) {
      list.input_gradient(kChunkUp);
    } else if (runs(unit, offsets.input_gradient_down)) {
      list.input_gradient(kChunkDown);
    } else {
      list.oldest_weight_gradient();
    }
  }
  list.all_weight_gradients();
  return list.take();
}

}  // namespace simtrain
