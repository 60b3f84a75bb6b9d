#pragma once

#include <string>

#include "sim/import/hugging_face/hugging_face_types.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// Turns what a configuration and the code of its model type say of attention into Megatron's
/// terms, and notes what cannot be said so. Throws InputError where the configuration leaves out a
/// size of multi-latent attention, or has a kind of attention that is not known.
void settle_hugging_face_layers(RecipeReading& reading, const HuggingFaceType& type,
                                const YamlNode& tree, const std::string& path);

}  // namespace simtrain
