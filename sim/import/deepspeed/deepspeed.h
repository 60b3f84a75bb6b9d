#pragma once

#include <span>
#include <string>

#include "sim/import/terms/key_table.h"

namespace simtrain {

/// The keys of a DeepSpeed configuration, which other frameworks keep beside their own.
std::span<const KeyRow> deepspeed_keys();

/// The tree as those keys take it: counts that are written as real numbers, and `auto` left out.
void settle_deepspeed_tree(YamlNode& tree);

/// Settles the stage of ZeRO in `sharding`, a number until then, and fills in what DeepSpeed takes
/// where it is silent; nanotron has the same stages.
void settle_zero_stage(RecipeTerms& terms);

/// The same, and what DeepSpeed's engine makes of BF16 without ZeRO (remembered, not read again:
/// deepspeed/runtime/engine.py): BF16_Optimizer, which adds up and reduces gradients in FP32 and
/// deals the optimizer's state all the same.
void settle_deepspeed(RecipeTerms& terms);

/// The configuration that a command line of Megatron-DeepSpeed names: `path` is of the script,
/// `given` as it names the file. Throws InputError where the file is not there.
YamlNode load_deepspeed_config(const std::string& path, const YamlNode& given);

/// Takes such a configuration into the reading of the command line. Throws InputError where it says
/// otherwise.
void add_deepspeed_config(YamlNode tree, RecipeReading& reading);

}  // namespace simtrain
