#pragma once

#include <span>
#include <string>

#include "sim/import/terms/key_table.h"

namespace simtrain {

/// The keys of a NeMo 1 configuration. DLLogger's header holds those below `model` as
/// `cfg/KEY`, hparams.yaml below `cfg`.
std::span<const KeyRow> nemo1_keys();

/// Takes `model.precision`, where NeMo 1 keeps the trainer's precision in what it writes itself,
/// unless the trainer's own is there. `origin` is what its file calls the key.
void take_model_precision(const YamlNode& tree, const std::string& origin, RecipeTerms& terms);

/// Fills in what NeMo 1 takes where its configuration is silent.
void add_nemo1_defaults(RecipeTerms& terms);

}  // namespace simtrain
