#pragma once

#include "sim/collectives/transfer_cost.h"
#include "sim/topology/specs/cluster_spec.h"

namespace simtrain {

/// Copies between a GPU and the memory of its host, by a copy engine: no SMs, each byte once
/// through the GPU's memory. The node's file says what its host is like.
TransferCost copy_to_host(const NodeSpec& node, double bytes);
TransferCost copy_from_host(const NodeSpec& node, double bytes);

/// The update of `parameters` by the processors of the host. Each GPU's rank has an equal part of
/// their cores; bound by their memory: gradient, FP32 weight and two moments are read, the latter
/// three written, and the weight in BF16 (DeepSpeed csrc/adam/cpu_adam.cpp).
inline constexpr double kHostAdamBytes = 16 + 12 + 2;
TransferCost host_update(const NodeSpec& node, double parameters);

}  // namespace simtrain
