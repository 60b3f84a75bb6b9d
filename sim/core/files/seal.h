#pragma once

#include <string>

namespace simtrain {

/// Bytes with a last line that holds a fingerprint of all above it, so that simtrain knows a file
/// of its own that nothing has changed since.
std::string sealed(std::string text);

/// Whether a file is what `sealed` made; false where it cannot be read. Files that only begin alike
/// are not read further.
bool has_seal(const std::string& path);

}  // namespace simtrain
