#pragma once

#include <limits>
#include <set>
#include <string>
#include <vector>

namespace simtrain {

/// From `first` to `last`, both in it.
struct NumberRange {
  int first = 0;
  int last = 0;
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

/// Stands for however many there are.
inline constexpr NumberRange kAllNumbers{0, std::numeric_limits<int>::max()};

/// "0-7,16", or "all". Throws InputError under the name of the option at anything else.
std::vector<NumberRange> number_ranges(const std::string& text, const std::string& option);

/// The numbers below `count` that ranges choose. Throws InputError at one that is not below it.
std::set<int> numbers_of(const std::vector<NumberRange>& ranges, int count,
                         const std::string& option);

}  // namespace simtrain
