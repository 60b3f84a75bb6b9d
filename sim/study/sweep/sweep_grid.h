#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// A key of the scenario and what is tried of it, in order.
struct SweepAxis {
  /// That ranges may write out: each is kept as a value of a scenario.
  static constexpr std::uint64_t kMostValues = 100'000;

  static constexpr std::size_t kLongestText = std::size_t{1} << 16U;  ///< bytes of a value

  std::string key;     ///< dotted
  std::string column;  ///< its name in tables: the short one where there is one
  SourcePlace place;
  std::vector<YamlNode> values;
  std::vector<std::string> texts;  ///< the values as YAML on one line
};

/// Reads what is to be tried of a key: one value, a list of values, or whole numbers as FIRST:LAST
/// or FIRST:LAST:STEP with both ends included; a list may hold ranges. Throws InputError where the
/// key is unknown, nothing is to be tried, a range is none, ranges are too long or a value is given
/// twice.
SweepAxis read_axis(const Setting& varied);

/// `--vary KEY=V1,V2,...`, the list without its brackets. Throws InputError as `read_axis`.
SweepAxis parse_axis(const std::string& text);

/// Every combination of some axes: the first axis changes slowest.
class SweepGrid {
 public:
  static constexpr std::uint64_t kMost = 10'000'000;

  /// Throws InputError without an axis, with one of a key twice, and above kMost candidates.
  explicit SweepGrid(std::vector<SweepAxis> axes);

  [[nodiscard]] const std::vector<SweepAxis>& axes() const { return axes_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Which value of each axis a candidate has.
  [[nodiscard]] std::vector<std::size_t> choice(std::uint64_t candidate) const;
  /// The same as settings of the scenario.
  [[nodiscard]] std::vector<Setting> settings(std::uint64_t candidate) const;

 private:
  std::vector<SweepAxis> axes_;
  std::uint64_t size_ = 1;
};

}  // namespace simtrain
