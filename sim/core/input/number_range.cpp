#include "sim/core/input/number_range.h"

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"

namespace simtrain {
namespace {

std::optional<NumberRange> number_range(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '-');
  const auto first = number_as<int>(parts.front());
  const auto last = number_as<int>(parts.back());
  if (parts.size() > 2 || !first || !last || *last < *first) return std::nullopt;
  return NumberRange{*first, *last};
}

}  // namespace

std::vector<NumberRange> number_ranges(const std::string& text, const std::string& option) {
  if (text == "all") return {kAllNumbers};
  std::vector<NumberRange> ranges;
  for (const std::string_view part : split(text, ',')) {
    const auto range = number_range(part);
    if (!range) {
      throw InputError(
          {}, option,
          fmt::format("'{}' is no list of numbers; 3, 0-7, 0-3,12 or all would do", text));
    }
    ranges.push_back(*range);
  }
  return ranges;
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

bool SteppedRange::holds(std::int64_t number) const {
  if (number < first || number > last) return false;
  if (!multiplies) return (number - first) % step == 0;
  std::int64_t value = first;
  while (value < number) value *= step;
  return value == number;
}

std::optional<SteppedRange> stepped_range(std::string_view text, std::int64_t least,
                                          std::int64_t most) {
  std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 3) return std::nullopt;
  SteppedRange range;
  range.multiplies = parts.size() == 3 && parts[2].starts_with('x');
  if (range.multiplies) parts[2].remove_prefix(1);
  std::vector<std::int64_t> numbers;
  numbers.reserve(parts.size());
  for (const std::string_view part : parts) {
    const auto number = number_as<std::int64_t>(part);
    if (!number || *number < least || *number > most) return std::nullopt;
    numbers.push_back(*number);
  }
  range.first = numbers[0];
  range.last = numbers[numbers.size() == 1 ? 0 : 1];
  if (numbers.size() == 3) range.step = numbers[2];
  return range;
}

}  // namespace simtrain
