#pragma once

#include <span>

#include "sim/import/terms/key_table.h"

namespace simtrain {

/// The keys of a NeMo 2 run configuration.
std::span<const KeyRow> nemo2_keys();

}  // namespace simtrain
