#pragma once

#include <cstddef>
#include <string>

namespace simtrain {

/// The first bytes of a file, at most `most`, decompressed where it is gzip: enough to know what it
/// is. Throws InputError where it cannot be read.
std::string file_start(const std::string& path, std::size_t most = 4096);

}  // namespace simtrain
