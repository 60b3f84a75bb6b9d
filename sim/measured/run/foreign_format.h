#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace simtrain {

/// A kind of file that is known by words in it and not read by the command that was given it.
struct ForeignFormat {
  std::string_view first;   ///< words that a line of it holds both
  std::string_view second;  ///< empty: the first alone decides
  std::string_view name;    ///< "torchtitan's log"
  std::string_view advice;  ///< what would do; empty: it is not read yet
};

/// Of what is given for a training log; those that are surest first.
std::span<const ForeignFormat> foreign_logs();
/// Of what is given for a profile.
std::span<const ForeignFormat> foreign_profiles();

/// Looks for the surest of some formats in line after line.
class ForeignSight {
 public:
  explicit ForeignSight(std::span<const ForeignFormat> formats)
      : formats_(formats), found_(formats.size()) {}

  void line(std::string_view text);
  /// "looks like torchtitan's log, which is not read yet"; empty where nothing was recognized.
  [[nodiscard]] std::string sentence() const;

 private:
  std::span<const ForeignFormat> formats_;
  std::size_t found_;
};

}  // namespace simtrain
