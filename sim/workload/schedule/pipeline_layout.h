#pragma once

#include <string_view>
#include <vector>

namespace simtrain {

/// What one chunk of one stage holds.
struct ChunkLayout {
  int layers = 0;
  bool embedding = false;  ///< first chunk of the first stage
  bool head = false;       ///< last chunk of the last stage: final norm, output layer, loss
  int first_layer = 0;     ///< of the model, from 0 on
  int mtp_layers = 0;      ///< of multi-token prediction that a layout writes beside the head
};

/// The chunks of a model in order, as Megatron's `pipeline_model_parallel_layout` writes them
/// (transformer/pipeline_parallel_layer_layout.py): `E` embedding, `t` layer, `m` layer of
/// multi-token prediction, `L` loss, `|` ends a chunk, `x*n` and `(...)*n` repeat, commas are
/// nothing. `Et*2|(tt|)*6tL` has eight chunks. The embedding comes first, the loss last, any `m`
/// right before it in its chunk.
///
/// Throws std::invalid_argument with what was found and what would do.
std::vector<ChunkLayout> chunks_of_layout(std::string_view text);

}  // namespace simtrain
