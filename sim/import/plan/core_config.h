#pragma once

#include <string>
#include <string_view>

#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// `{_target_: NAME, _call_: false}`: a class or function of Python that is not called.
YamlNode class_node(std::string name);

/// Puts `_target_` first into the map at a dotted key ("": the whole), where there is one.
void put_class(YamlNode& tree, std::string_view key, std::string_view name);

/// Writes what a configuration of Megatron Core below `prefix` has otherwise than its command line:
/// functions for the words of activations, lists for those of words, nothing for a rank of 0.
void settle_core_config(YamlNode& tree, const std::string& prefix, const RecipeTerms& terms);

/// Writes the types of optimizer states in a configuration of Megatron Core's optimizer below
/// `prefix` as PyTorch's.
void settle_optimizer_config(YamlNode& tree, const std::string& prefix);

}  // namespace simtrain
