#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// From `first` to `last`, both in it.
struct NumberRange {
  int first = 0;
  int last = 0;
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

/// All numbers, however many there are.
inline constexpr NumberRange kAllNumbers{0, std::numeric_limits<int>::max()};

/// "0-7,16", or "all". Throws InputError under the name of the option at anything else.
std::vector<NumberRange> number_ranges(const std::string& text, const std::string& option);

/// The numbers below `count` that ranges choose. Throws InputError at one that is not below it.
std::set<int> numbers_of(const std::vector<NumberRange>& ranges, int count,
                         const std::string& option);

/// Numbers from `first` to `last`: `step` apart, or each `step` times the one before.
struct SteppedRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;
  bool multiplies = false;

  [[nodiscard]] bool holds(std::int64_t number) const;
};

/// "NUMBER", "FIRST:LAST", "FIRST:LAST:STEP" or "FIRST:LAST:xFACTOR", each number from `least` to
/// `most`. Nothing where the text is something else. Whether the range goes on from its start and
/// ends is up to the caller.
std::optional<SteppedRange> stepped_range(std::string_view text, std::int64_t least,
                                          std::int64_t most);

}  // namespace simtrain
