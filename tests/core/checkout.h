#pragma once

#include <string>

namespace simtrain::testing {

/// Where the tests run and what was built with them. These are functions of a source of its own
/// because a compiler cache serves no file with the folder of a checkout in its text to another
/// one.
std::string source_dir();      ///< the repository
std::string build_dir();       ///< where this build lies
std::string program();         ///< the executable simtrain of this build
std::string cmake();           ///< the cmake that made it
std::string compiler();        ///< its C++ compiler
std::string compiler_flags();  ///< what that is told for this kind of build

}  // namespace simtrain::testing
