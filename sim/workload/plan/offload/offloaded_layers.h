#pragma once

#include <vector>

#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {

/// A layer of a chunk whose kept tensors go to the host, and when. Layers are counted from the
/// chunk's first.
struct OffloadedLayer {
  int layer = 0;
  double bytes = 0;  ///< of one micro-batch
  /// A forward has run this layer when the copy to the host has ended, and a backward starts it
  /// when that back begins; the chunk's number of layers: nothing waits for it in its own pass.
  int until = 0;
};

/// The layers of a chunk that offload something, in the order of the model. Copies follow one
/// another: the first starts when its layer has run, each other one when its layer has and the one
/// before has ended.
///
/// Under `cpu_offloading` these are the first layers of the model, and their ends are spread over
/// all layers of the forward (Transformer Engine, pytorch/cpu_offload.py,
/// AsyncDoubleBufferGroupOffloadHandler: layer_window_map). Inputs of modules leave while the next
/// layer runs; those of a last layer whose backward follows at once stay (Megatron core,
/// pipeline_parallel/fine_grained_activation_offload.py).
std::vector<OffloadedLayer> offloaded_layers(const Recipe& recipe, const ModelTotals& totals,
                                             const ChunkLayout& chunk);

/// What of a chunk's kept tensors is offloaded, in bytes of one micro-batch.
struct ChunkOffload {
  double bytes = 0;  ///< all that goes to the host
  /// On its way to or from there while a pass runs, beyond what stays on the GPU, at most.
  double in_flight = 0;
};
ChunkOffload chunk_offload(const Recipe& recipe, const ModelTotals& totals,
                           const ChunkLayout& chunk);

}  // namespace simtrain
