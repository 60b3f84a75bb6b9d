#pragma once

#include "sim/import/hugging_face/hugging_face_types.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// The keys by which the code of some model types decides a size or a flag that others give as such
/// (multi_query, expansion_ratio, rotary_dim), for the table of keys that are read.
std::span<const KeyRow> hugging_face_code_keys();

/// Sets what the code of a model type makes of such keys, of sizes that it has by itself and of
/// its activation, and notes what it does that is not simulated.
void settle_hugging_face_code(RecipeReading& reading, const HuggingFaceType& type,
                              const YamlNode& tree);

}  // namespace simtrain
