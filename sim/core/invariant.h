#pragma once

#include <cstdio>
#include <cstdlib>

namespace simtrain {

/// A promise of our own code, checked in every build: where it does not hold, prints the place and
/// the text and aborts. Never used on the user's input (see InputError).
///
/// `file` and `line` are the caller's; clang 14 has no std::source_location.
inline void invariant(bool holds, const char* text, const char* file = __builtin_FILE(),
                      unsigned line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "simtrain: internal error at %s:%u: %s\n", file, line, text);
  std::abort();
}

}  // namespace simtrain
