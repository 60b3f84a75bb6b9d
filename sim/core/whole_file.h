#pragma once

#include <string>

namespace simtrain {

/// Writes a file whole or not at all: beside it first, then renamed over it, so that nobody ever
/// reads half. Throws InputError at `key` (the option that named it) where that cannot be.
void write_whole(const std::string& path, const std::string& text, const std::string& key);

}  // namespace simtrain
