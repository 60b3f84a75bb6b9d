#pragma once

#include <vector>

namespace simtrain {

/// What the host does in a layer, in its order: it launches an op, or waits for the GPU to read a
/// number. Times in seconds, those of the GPU from the layer's start, as if everything were
/// launched in time.
struct HostTask {
  double host_s = 0;  ///< that it takes to launch the op
  /// Not before it is launched can the op go on: its start, of an op of many kernels its end.
  double needed_s = 0;
  bool waits = false;  ///< launches nothing
  double until_s = 0;  ///< of a wait: the end of the op that computes the number
};

/// That the host takes to launch all of a layer, in seconds.
double launches_s(const std::vector<HostTask>& tasks);

/// How much longer a layer among layers like it takes, in seconds, because its kernels are launched
/// too late. A host that never waits may be ahead by as much as it likes: the longer of the two
/// counts, `layer_s` of the GPU or all launches. One that waits goes on when the number is there:
/// no op runs before its launch, and what follows comes as much later, over the ends of layers.
double host_slack(const std::vector<HostTask>& tasks, double layer_s);

}  // namespace simtrain
