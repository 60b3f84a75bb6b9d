#pragma once

#include <string>
#include <string_view>

namespace simtrain {

/// The commit that the program was built of, empty where it is not known. cmake/commit.cmake writes
/// the file that defines it, for the program alone.
extern const std::string_view kBuiltCommit;

/// "simtrain 0.1.0".
std::string version_text();

/// What `--version` prints: the same, with the commit that was built where that is known.
std::string version_line(std::string_view commit);

}  // namespace simtrain
