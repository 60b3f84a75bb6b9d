#include "sim/core/invariant.h"

#include <string_view>

#include <fmt/format.h>

namespace simtrain {
namespace {

/// The path from the repository root, whatever the compiler was given.
std::string_view from_root(std::string_view file) {
  const std::size_t sim = file.rfind("/sim/");
  return sim == std::string_view::npos ? file : file.substr(sim + 1);
}

}  // namespace

void broken_invariant(const char* text, const char* file, unsigned line) {
  throw InternalError(fmt::format("internal error at {}:{}: {}", from_root(file), line, text));
}

}  // namespace simtrain
