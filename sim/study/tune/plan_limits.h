#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/input/number_range.h"
#include "sim/study/tune/plan_choice.h"

namespace simtrain {

/// "1,2,8:64:8,64:2048:x2": numbers and ranges A:B[:STEP] or A:B:xFACTOR, 1 or more each. Throws
/// InputError at `option` where the text is something else.
std::vector<SteppedRange> parse_ranges(std::string_view text, const std::string& option);

/// All numbers of some ranges, sorted, each once. Throws InputError at `option` where they are more
/// than 1000.
std::vector<int> numbers_of(const std::vector<SteppedRange>& ranges, const std::string& option);

/// The values that a search may give to each knob; all by default.
class PlanLimits {
 public:
  /// KEY=VALUES, KEY one of the knobs (tp, pp, vp, cp, dp, ep, etp, mbs, recompute, account,
  /// schedule, dispatch), VALUES as for `parse_ranges`, or names for the last four. Throws
  /// InputError where it is something else or the knob has a limit already.
  void add(const std::string& text);

  [[nodiscard]] bool allows(Knob knob, int value) const;
  /// Whether a knob has a limit.
  [[nodiscard]] bool limits(Knob knob) const {
    return !ranges_[static_cast<std::size_t>(knob)].empty();
  }

 private:
  std::array<std::vector<SteppedRange>, kKnobs> ranges_;
};

}  // namespace simtrain
