#include "tests/core/checkout.h"

namespace simtrain::testing {

std::string source_dir() { return source_dir(); }
std::string build_dir() { return build_dir(); }
std::string program() { return program(); }
std::string cmake() { return cmake(); }
std::string compiler() { return compiler(); }
std::string compiler_flags() { return compiler_flags(); }

}  // namespace simtrain::testing
