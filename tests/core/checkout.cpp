#include "tests/core/checkout.h"

namespace simtrain::testing {

std::string source_dir() { return SIMTRAIN_SOURCE_DIR; }
std::string build_dir() { return SIMTRAIN_BUILD; }
std::string program() { return SIMTRAIN_PROGRAM; }
std::string cmake() { return SIMTRAIN_CMAKE; }
std::string compiler() { return SIMTRAIN_CXX; }
std::string compiler_flags() { return SIMTRAIN_CXX_FLAGS; }

}  // namespace simtrain::testing
