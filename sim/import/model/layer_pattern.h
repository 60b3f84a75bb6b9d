#pragma once

#include <cstdint>
#include <vector>

#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// The most layers that a pattern may be of.
inline constexpr std::int64_t kMostPatternLayers = 10000;

/// Which layers have experts, by Megatron's moe_layer_freq: a whole number N (the first of each N
/// layers has), or a flag for each layer, as a list or as Python writes one: `[0]*3+[1]*58`. Throws
/// InputError at anything else and where there are not as many flags as layers.
std::vector<bool> expert_layers(const Given<YamlNode>& frequency, std::int64_t layers);

/// Which layers have a window, by Megatron's window_attn_skip_freq: a whole number N (each N-th
/// layer has none), or a flag for each layer as above. Throws InputError as above.
std::vector<bool> window_layers(const Given<YamlNode>& frequency, std::int64_t layers);

/// Such a list of flags.
YamlNode pattern_node(const std::vector<bool>& flags);

}  // namespace simtrain
