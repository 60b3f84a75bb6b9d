#pragma once

#include <vector>

namespace simtrain {

/// What the host does for an op of a layer, in the order of launches, and when the GPU would run it
/// if everything were launched in time. Times in seconds from the layer's start.
struct HostOp {
  double host_s = 0;  ///< that the host takes to launch it
  /// Not before this is launched can it go on: its start, of an op of many kernels its end.
  double needed_s = 0;
  double end_s = 0;
  bool host_waits = false;  ///< the host waits for its end, to read a number that it computes
};

/// How much longer a layer among layers like it takes, in seconds, because its kernels are launched
/// too late. A host that never waits may be ahead by as much as it likes: the longer of the two
/// counts, `layer_s` of the GPU or all launches. One that waits starts anew each time with nothing
/// launched: no op runs before its launch, and what follows comes as much later, over the end of
/// the layer up to the next wait.
double host_slack(const std::vector<HostOp>& ops, double layer_s);

}  // namespace simtrain
