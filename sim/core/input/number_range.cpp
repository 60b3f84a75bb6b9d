#include "sim/core/input/number_range.h"

#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain {
namespace {

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0)
    return std::nullopt;
  return number;
}

std::optional<NumberRange> number_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = whole_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : whole_number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return NumberRange{*first, *last};
}

}  // namespace

std::vector<NumberRange> number_ranges(const std::string& text, const std::string& option) {
  if (text == "all") return {kAllNumbers};
  std::vector<NumberRange> ranges;
  std::string_view left = text;
  for (;;) {
    const std::size_t comma = left.find(',');
    const auto range = number_range(left.substr(0, comma));
    if (!range) {
      throw InputError(
          {}, option,
          fmt::format("'{}' is no list of numbers; 3, 0-7, 0-3,12 or all would do", text));
    }
    ranges.push_back(*range);
    if (comma == std::string_view::npos) return ranges;
    left.remove_prefix(comma + 1);
  }
}

std::set<int> numbers_of(const std::vector<NumberRange>& ranges, int count,
                         const std::string& option) {
  std::set<int> numbers;
  for (const NumberRange& range : ranges) {
    const int last = range == kAllNumbers ? count - 1 : range.last;
    if (last >= count)
      throw InputError({}, option,
                       fmt::format("there is no {}; 0 to {} would do", last, count - 1));
    for (int number = range.first; number <= last; ++number) numbers.insert(numbers.end(), number);
  }
  return numbers;
}

}  // namespace simtrain
