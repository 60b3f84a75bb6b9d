#pragma once

#include <stdexcept>
#include <string>

namespace simtrain {

/// A fault of this program: a promise of its own code does not hold. Nothing that was being
/// computed can be trusted, but nothing outside of it is harmed, so that a caller may go on with
/// other work. `main` prints it and exits with 3.
class InternalError : public std::logic_error {
 public:
  explicit InternalError(const std::string& text) : std::logic_error(text) {}
};

/// Throws InternalError with the place and the text.
[[noreturn]] void broken_invariant(const char* text, const char* file, unsigned line);

/// A promise of our own code, checked in every build: where it does not hold, throws InternalError
/// with the place and the text. Never used on the user's input (see InputError), nor where nothing
/// may be thrown (destructors).
///
/// `file` and `line` are the caller's; clang 14 has no std::source_location.
inline void invariant(bool holds, const char* text, const char* file = __builtin_FILE(),
                      unsigned line = __builtin_LINE()) {
  if (holds) return;
  broken_invariant(text, file, line);
}

}  // namespace simtrain
