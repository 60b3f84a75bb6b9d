#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "sim/core/watch.h"

namespace simtrain {

/// Fills the front of a buffer with the next bytes and returns how many; 0 at the end.
using ByteSource = std::function<std::size_t(std::span<char>)>;

/// The bytes of a file, decompressed where it is gzip. Reads regular files and pipes. Throws
/// InputError where there is no such file or it cannot be read; from then on, where compressed data
/// is damaged, `damaged` is called with what is wrong and the bytes end. `watch` receives the
/// megabytes of a regular file that were read.
ByteSource open_log_file(const std::string& path, std::function<void(const std::string&)> damaged,
                         Watch watch = {});

/// A text as a source, `piece` bytes at a time; it has to outlive the source.
ByteSource text_source(std::string_view text, std::size_t piece = 65536);

}  // namespace simtrain
