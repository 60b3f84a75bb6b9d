#pragma once

#include "sim/core/fingerprint.h"
#include "sim/run/pieces.h"

namespace simtrain {

/// One number over every span of the pieces and of the first rank of each stage, so that folded and
/// unfolded runs of one scenario share it.
Fingerprint fingerprint_of(const std::vector<PlayedPiece>& pieces, const Plan& plan,
                           const Timeline& timeline, int stages);

}  // namespace simtrain
