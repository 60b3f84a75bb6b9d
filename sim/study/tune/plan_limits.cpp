#include "sim/study/tune/plan_limits.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "sim/core/input/text_parts.h"
#include "sim/core/suggestion.h"

namespace simtrain {
namespace {

SteppedRange parse_range(std::string_view text, const std::string& option) {
  const auto range = stepped_range(text, 1, std::numeric_limits<int>::max());
  if (!range || range->last < range->first || range->step < (range->multiplies ? 2 : 1)) {
    throw InputError({}, option,
                     fmt::format("'{}' is neither a number of 1 or more nor a range; 8, 1:16, "
                                 "8:64:8 or 8:64:x2 would do",
                                 text));
  }
  return *range;
}

template <Named E>
std::vector<SteppedRange> parse_names(std::string_view text, const std::string& option) {
  const auto known = all_names<E, std::string>();
  std::vector<SteppedRange> ranges;
  for (const std::string_view word : split(text, ',')) {
    const auto row = std::find(known.begin(), known.end(), word);
    if (row == known.end())
      throw InputError({}, option,
                       fmt::format("'{}' is not known; {}", word, suggestion(word, known)));
    const int value =
        static_cast<int>(EnumNames<E>::rows[static_cast<std::size_t>(row - known.begin())].second);
    ranges.push_back({value, value});
  }
  return ranges;
}

}  // namespace

std::vector<SteppedRange> parse_ranges(std::string_view text, const std::string& option) {
  std::vector<SteppedRange> ranges;
  for (const std::string_view part : split(text, ',')) ranges.push_back(parse_range(part, option));
  return ranges;
}

std::vector<int> numbers_of(const std::vector<SteppedRange>& ranges, const std::string& option) {
  constexpr std::size_t kMost = 1000;
  std::set<int> numbers;
  for (const SteppedRange& range : ranges) {
    for (std::int64_t number = range.first; number <= range.last;
         number = range.multiplies ? number * range.step : number + range.step) {
      numbers.insert(static_cast<int>(number));
      if (numbers.size() > kMost)
        throw InputError({}, option, fmt::format("names more than {} numbers", kMost));
    }
  }
  return {numbers.begin(), numbers.end()};
}

void PlanLimits::add(const std::string& text) {
  const std::string option = "--limit " + text;
  std::vector<std::string> known;
  known.reserve(kKnobs);
  for (const auto& row : EnumNames<Knob>::rows) known.emplace_back(row.first);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw InputError({}, option, "must be KEY=VALUES; tp=1,2,4 or pp=1:16 would do");
  const std::string key = text.substr(0, equals);
  const auto row = std::find(known.begin(), known.end(), key);
  if (row == known.end())
    throw InputError(
        {}, option,
        fmt::format("'{}' is nothing that is searched; {}", key, suggestion(key, known)));
  const Knob knob = EnumNames<Knob>::rows[static_cast<std::size_t>(row - known.begin())].second;
  std::vector<SteppedRange>& ranges = ranges_[static_cast<std::size_t>(knob)];
  if (!ranges.empty()) throw InputError({}, option, fmt::format("'{}' has a limit already", key));
  const std::string_view values = std::string_view(text).substr(equals + 1);
  ranges = knob == Knob::recompute  ? parse_names<Recompute>(values, option)
           : knob == Knob::account  ? parse_names<SplitAccount>(values, option)
           : knob == Knob::schedule ? parse_names<PipelineSchedule>(values, option)
           : knob == Knob::dispatch ? parse_names<Dispatch>(values, option)
                                    : parse_ranges(values, option);
}

bool PlanLimits::allows(Knob knob, int value) const {
  const std::vector<SteppedRange>& ranges = ranges_[static_cast<std::size_t>(knob)];
  return ranges.empty() ||
         std::any_of(ranges.begin(), ranges.end(),
                     [&](const SteppedRange& range) { return range.holds(value); });
}

}  // namespace simtrain
