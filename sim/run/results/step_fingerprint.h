#pragma once

#include "sim/core/fingerprint.h"
#include "sim/run/pieces/pieces.h"

namespace simtrain {

/// One number over every span of each pass class's pieces on their first rank, and of the first
/// rank of each program in the step, so that folded and unfolded runs of one scenario share it.
Fingerprint fingerprint_of(const std::vector<SimulatedPieces>& passes, const Plan& plan,
                           const Timeline& timeline);

}  // namespace simtrain
