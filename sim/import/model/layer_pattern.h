#pragma once

#include <cstdint>
#include <string>
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

/// The hybrid_override_pattern by which Megatron lays out layers of which such shares are attention
/// and MLP: attention evenly spaced between Mamba, then MLPs evenly in place of Mamba, the last
/// ones first. Up to kMostPatternLayers layers, shares within 0 and 1.
std::string spread_layers(std::int64_t layers, double attention, double mlp);

/// Gives a hybrid without a pattern that of its shares, none of which is Mamba alone. `sign` is
/// what makes a recipe one of a hybrid; nothing: its shares. Throws InputError where it does not
/// say how many layers there are.
void settle_hybrid_layers(RecipeTerms& terms, const WordTerm& sign);

/// Throws InputError at what makes a recipe one of a hybrid where no pattern says its layers.
void require_pattern(const RecipeTerms& terms, const Given<std::string>& sign);

/// Such a list of flags.
YamlNode pattern_node(const std::vector<bool>& flags);

}  // namespace simtrain
