#pragma once

#include <string>
#include <string_view>

#include "sim/core/source_place.h"
#include "sim/topology/specs/gpu_spec.h"

namespace simtrain {

/// Whether other values of a GPU go along with the one at `key`, where a scenario changes that.
bool takes_others_along(std::string_view key);

/// What goes along with a value of a GPU that a scenario changed, at `key` and `where` of it; `own`
/// is the GPU as its file has it. Under another power limit draws stay those of its own, and the
/// clock falls; with other SMs rates of GEMMs and attention grow with them, and what they draw at
/// full clock under the same limit. Throws InputError where a limit is no more than an idle GPU
/// draws.
void settle_gpu(const GpuSpec& own, const std::string& key, const SourcePlace& where, GpuSpec& gpu);

}  // namespace simtrain
