#pragma once

#include <string>

#include "sim/app/options/common_options.h"
#include "sim/core/watch.h"

namespace simtrain {

/// How the program shows itself to its user: results on standard output, errors, notes and progress
/// on standard error.
class Console {
 public:
  explicit Console(const CommonOptions& options = {}) : options_(options) {}

  /// False with --quiet: neither notes nor progress.
  [[nodiscard]] bool talks() const { return !options_.quiet; }
  /// Lines that nobody has to read, such as what a log held that was skipped.
  void note(const std::string& lines) const;
  /// A bar for work that shows how much of it is done, counted in `unit` ("12 of 40 runs"). It goes
  /// when all is done, or with its last copy.
  [[nodiscard]] Watch bar(const std::string& unit) const;
  /// One line that says why there is no result.
  void error(const std::string& text) const;
  /// A text report or, uncoloured, data for programs. False where it cannot be written.
  [[nodiscard]] bool print(const std::string& text, bool data) const;

 private:
  [[nodiscard]] bool coloured(int stream) const;

  CommonOptions options_;
};

}  // namespace simtrain
