#include "sim/workload/plan/offload/offloaded_layers.h"

#include <algorithm>

namespace simtrain {
namespace {

/// Of `layers` layers the first `offloaded`, spread: the i-th has until the end of its equal part.
/// What does not divide lengthens the first parts by a layer.
std::vector<int> spread_over(int layers, int offloaded) {
  std::vector<int> until;
  until.reserve(static_cast<std::size_t>(offloaded));
  for (int i = 0; i < offloaded; ++i)
    until.push_back(layers / offloaded * (i + 1) - 1 + std::min(i + 1, layers % offloaded));
  return until;
}

std::vector<OffloadedLayer> first_layers(const Recipe& recipe, const ModelTotals& totals,
                                         const ChunkLayout& chunk) {
  const std::vector<int> until =
      spread_over(chunk.layers, std::min(chunk.layers, recipe.offload.cpu_offloading_num_layers));
  std::vector<OffloadedLayer> layers;
  layers.reserve(until.size());
  for (int layer = 0; layer < static_cast<int>(until.size()); ++layer)
    layers.push_back({layer, totals.layer(chunk.first_layer + layer).saved_bytes,
                      until[static_cast<std::size_t>(layer)]});
  return layers;
}

std::vector<OffloadedLayer> layers_of_modules(const ModelTotals& totals, const ChunkLayout& chunk) {
  std::vector<OffloadedLayer> layers;
  for (int layer = 0; layer < chunk.layers - (chunk.head ? 1 : 0); ++layer) {
    const double bytes = totals.layer(chunk.first_layer + layer).offloaded_bytes;
    if (bytes <= 0) continue;
    if (!layers.empty()) layers.back().until = layer;
    layers.push_back({layer, bytes, layer + 1});
  }
  return layers;
}

}  // namespace

std::vector<OffloadedLayer> offloaded_layers(const Recipe& recipe, const ModelTotals& totals,
                                             const ChunkLayout& chunk) {
  if (recipe.offload.cpu_offloading) return first_layers(recipe, totals, chunk);
  if (recipe.offload.fine_grained_activation_offloading) return layers_of_modules(totals, chunk);
  return {};
}

ChunkOffload chunk_offload(const Recipe& recipe, const ModelTotals& totals,
                           const ChunkLayout& chunk) {
  const std::vector<OffloadedLayer> layers = offloaded_layers(recipe, totals, chunk);
  ChunkOffload offload;
  double stays = 0;
  double kept = chunk.embedding ? totals.embedding().saved_bytes : 0;
  for (int layer = 0; layer < chunk.layers; ++layer)
    stays += totals.layer(chunk.first_layer + layer).saved_bytes;
  for (const OffloadedLayer& layer : layers) offload.bytes += layer.bytes;
  stays += kept - offload.bytes;
  for (int layer = 0; layer < chunk.layers; ++layer) {
    kept += totals.layer(chunk.first_layer + layer).saved_bytes;
    double here = kept;  // with what is on its way when this layer has run
    for (const OffloadedLayer& one : layers) {
      if (one.layer <= layer && one.until < layer) here -= one.bytes;
    }
    offload.in_flight = std::max(offload.in_flight, here - stays);
  }
  // That of the pass before or after, for which no layer of its own waits.
  if (!layers.empty() && layers.back().until >= chunk.layers)
    offload.in_flight += layers.back().bytes;
  return offload;
}

}  // namespace simtrain
