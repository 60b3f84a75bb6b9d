#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/measured/profiles/profile_format.h"
#include "tests/core/error_of.h"

namespace simtrain::testing {

/// A text read as a profile, in pieces of so many bytes.
inline Profile read_profile_text(std::string_view text, const std::string& format = "",
                                 std::size_t piece = 65536) {
  return read_profile(text_source(text, piece), format);
}

/// The only line that was skipped, and why.
inline std::string skipped_line(const Profile& profile) {
  if (profile.skipped.count != 1) return fmt::format("{} skipped", profile.skipped.count);
  return fmt::format("{}: {}", profile.skipped.named[0].line, profile.skipped.named[0].why);
}

}  // namespace simtrain::testing
