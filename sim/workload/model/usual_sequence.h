#pragma once

#include <cstdint>

namespace simtrain {

/// Tokens of a sequence where nobody says: as most pretraining of today.
inline constexpr std::int64_t kUsualSequence = 8192;

}  // namespace simtrain
